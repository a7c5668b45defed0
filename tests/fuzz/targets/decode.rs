//! Sends any text as the params of methods with many parameter types: JSON gets a result or -32602 from each.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;
use std::cell::RefCell;
use tests::fast_and_strict::FastAndStrict;

const METHODS: [&str; 20] = [
    "add",
    "text",
    "maybe_text",
    "raw",
    "raw_borrowed",
    "list",
    "any",
    "value",
    "numbers",
    "whole",
    "small",
    "tuple",
    "map",
    "place",
    "flat_place",
    "borrowed",
    "choice",
    "untagged",
    "later",
    "ping",
];

thread_local!(static READERS: RefCell<FastAndStrict> = RefCell::new(FastAndStrict::new()));

fuzz_target!(|params: &str| {
    // Text that is not one JSON value could end the params and continue with other members.
    let is_list = params.starts_with(['[', '{']) && serde_json::from_str::<&RawValue>(params).is_ok();
    READERS.with_borrow_mut(|readers| {
        for method in METHODS {
            let message = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":7}}"#);
            let response = readers.response(message.as_bytes()).unwrap_or_else(|error| panic!("{message}\n{error}"));
            let heads = [r#"{"jsonrpc":"2.0","result":"#, r#"{"jsonrpc":"2.0","error":{"code":-32602,"#];
            let too_deep = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error","data":"#;
            let is_expected =
                heads.iter().any(|head| response.starts_with(head.as_bytes())) && response.ends_with(b"\"id\":7}");
            assert!(
                !is_list || is_expected || response.starts_with(too_deep.as_bytes()),
                "{message}\n{}",
                response.escape_ascii()
            );
        }
    });
});
