//! Any bytes to a server: the fast reader and the exact one answer alike, and what they answer is
//! JSON-RPC.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use tests::twins::Twins;

thread_local!(static TWINS: RefCell<Twins> = RefCell::new(Twins::new()));

fuzz_target!(|message: &[u8]| TWINS.with_borrow_mut(|twins| twins.agree(message)));
