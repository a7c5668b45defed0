//! Sends any bytes to a client: each call completes once or stays pending.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tests::checked_client::CheckedClient;

fuzz_target!(|message: &[u8]| {
    for mut client in CheckedClient::all() {
        client.receive(message).unwrap_or_else(|error| panic!("{}\n{error}", message.escape_ascii()));
    }
});
