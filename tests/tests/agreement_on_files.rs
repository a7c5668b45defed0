//! The fast reader and the exact one agree on the vectors and on `JSONTestSuite`, whole and cut off
//! anywhere; a client bears all of it.
//!
//! `RPC_AGREEMENT` asks for all cuts of long messages that are looked at, not for a few.

use std::collections::HashSet;
use tests::json_test_suite;
use tests::listener::Listener;
use tests::random::Random;
use tests::twins::{Twins, head};
use tests::vectors;

/// Up to this length every cut is made.
const SHORT: usize = 4 << 10;

/// Who must bear every message.
struct Hearers {
    twins: Twins,
    listeners: [Listener; 3],
    random: Random,
    cuts: usize,
    /// Many messages begin alike; each short one is heard once.
    heard: HashSet<Vec<u8>>,
}

impl Hearers {
    fn new() -> Self {
        let cuts = if std::env::var_os("RPC_AGREEMENT").is_some() { 500 } else { 1 };
        Hearers { twins: Twins::new(), listeners: Listener::all(), random: Random::new(0), cuts, heard: HashSet::new() }
    }

    #[track_caller]
    fn hear(&mut self, message: &[u8]) {
        self.twins.agree(message);
        // A long message says nothing that the state of a client could matter to, and takes its time.
        let count = if message.len() > SHORT { 1 } else { self.listeners.len() };
        for listener in &mut self.listeners[..count] {
            if let Err(error) = listener.hear(message) {
                panic!("{}\n{error}", head(message));
            }
        }
    }

    #[track_caller]
    fn hear_with_cuts(&mut self, message: &[u8]) {
        self.hear(message);
        if message.len() <= SHORT {
            for end in 0..message.len() {
                if self.heard.insert(message[..end].to_vec()) {
                    self.hear(&message[..end]);
                }
            }
        } else {
            for _ in 0..self.cuts {
                let end = self.random.below(message.len());
                self.hear(&message[..end]);
            }
        }
    }
}

#[test]
fn every_vector_cut_off_anywhere_is_judged_alike() {
    let mut hearers = Hearers::new();
    for vector in vectors::server() {
        hearers.hear_with_cuts(&vector.request);
    }
    for vector in vectors::client() {
        hearers.hear_with_cuts(vector.body.replace("$ID", "1").replace("$OTHER", "\"1\"").as_bytes());
    }
}

#[test]
fn every_file_of_the_suite_cut_off_anywhere_is_judged_alike() {
    let mut hearers = Hearers::new();
    for file in json_test_suite::files().unwrap_or_default() {
        for message in json_test_suite::messages(&file.text) {
            hearers.hear_with_cuts(&message);
        }
    }
}

#[test]
fn any_depth_that_a_server_allows_is_judged_alike() {
    let mut twins = Twins::limited(|server| server.max_depth(usize::MAX));
    for file in json_test_suite::files().unwrap_or_default() {
        for message in json_test_suite::messages(&file.text) {
            twins.agree(&message);
        }
    }
    for depth in [126, 127, 128, 129, 10_000] {
        let deep = [b"[".repeat(depth), b"]".repeat(depth)].concat();
        for message in json_test_suite::messages(&deep) {
            twins.agree(&message);
            twins.agree(&[b"[", &*message, b"]"].concat());
        }
    }
}
