//! Sends any bytes to a server: the fast reader and the strict one agree on the response, which is the expected one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use tests::fast_and_strict::FastAndStrict;

thread_local!(static READERS: RefCell<FastAndStrict> = RefCell::new(FastAndStrict::new()));

fuzz_target!(|message: &[u8]| READERS.with_borrow_mut(|readers| readers.check(message)));
