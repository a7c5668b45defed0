//! The fast reader of requests agrees with the strict one on the vectors and on `JSONTestSuite`, whole and truncated.
//! Clients handle all of these messages.
//!
//! If `RPC_AGREEMENT` is set, 500 truncations of a long message are tried instead of one.

use std::collections::HashSet;
use tests::checked_client::CheckedClient;
use tests::fast_and_strict::{FastAndStrict, truncated};
use tests::json_test_suite;
use tests::random::Random;
use tests::vectors;

/// A message up to this length, in bytes, is truncated at every position.
const SHORT: usize = 4 << 10;

/// The servers and clients that receive every message.
struct Receivers {
    readers: FastAndStrict,
    clients: [CheckedClient; 3],
    random: Random,
    /// The number of truncations of a long message.
    truncations: usize,
    /// The truncated short messages so far: many messages begin alike.
    checked: HashSet<Vec<u8>>,
}

impl Receivers {
    fn new() -> Self {
        Receivers {
            readers: FastAndStrict::new(),
            clients: CheckedClient::all(),
            random: Random::new(0),
            truncations: if std::env::var_os("RPC_AGREEMENT").is_some() { 500 } else { 1 },
            checked: HashSet::new(),
        }
    }

    #[track_caller]
    fn check(&mut self, message: &[u8]) {
        self.readers.check(message);
        // Long messages are slow, and none of them depends on the state of the client.
        let count = if message.len() > SHORT { 1 } else { self.clients.len() };
        for client in &mut self.clients[..count] {
            if let Err(error) = client.receive(message) {
                panic!("{}\n{error}", truncated(message));
            }
        }
    }

    #[track_caller]
    fn check_with_truncations(&mut self, message: &[u8]) {
        self.check(message);
        if message.len() <= SHORT {
            for end in 0..message.len() {
                if self.checked.insert(message[..end].to_vec()) {
                    self.check(&message[..end]);
                }
            }
        } else {
            for _ in 0..self.truncations {
                let end = self.random.below(message.len());
                self.check(&message[..end]);
            }
        }
    }
}

#[test]
fn the_readers_agree_on_every_truncated_vector() {
    let mut receivers = Receivers::new();
    for vector in vectors::server() {
        receivers.check_with_truncations(&vector.request);
    }
    for vector in vectors::client() {
        receivers.check_with_truncations(vector.body.replace("$ID", "1").replace("$OTHER", "\"1\"").as_bytes());
    }
}

#[test]
fn the_readers_agree_on_every_truncated_file_of_the_suite() {
    let mut receivers = Receivers::new();
    for file in json_test_suite::files().unwrap_or_default() {
        for message in json_test_suite::messages(&file.text) {
            receivers.check_with_truncations(&message);
        }
    }
}

#[test]
fn the_readers_agree_at_any_depth_limit() {
    let mut readers = FastAndStrict::with_limits(|server| server.max_depth(usize::MAX));
    for file in json_test_suite::files().unwrap_or_default() {
        for message in json_test_suite::messages(&file.text) {
            readers.check(&message);
        }
    }
    for depth in [126, 127, 128, 129, 10_000] {
        let deep = [b"[".repeat(depth), b"]".repeat(depth)].concat();
        for message in json_test_suite::messages(&deep) {
            readers.check(&message);
            readers.check(&[b"[", &*message, b"]"].concat());
        }
    }
}
