//! Any bytes to a client: each call ends once or waits on, and none begins.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tests::listener::Listener;

fuzz_target!(|message: &[u8]| {
    for mut listener in [Listener::new(3, false), Listener::new(3, true), Listener::new(1, true)] {
        // A reply that comes twice ends its call once.
        for _ in 0..2 {
            listener.hear(message).unwrap_or_else(|error| panic!("{}\n{error}", message.escape_ascii()));
        }
    }
});
