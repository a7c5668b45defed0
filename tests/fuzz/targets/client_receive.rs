//! Any bytes to a client: each call ends once or waits on, and none begins.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tests::listener::Listener;

fuzz_target!(|message: &[u8]| {
    for mut listener in Listener::all() {
        listener.hear(message).unwrap_or_else(|error| panic!("{}\n{error}", message.escape_ascii()));
    }
});
