//! The files of `JSONTestSuite` at every position of a message. Invalid JSON is a parse error with the id null, valid
//! JSON comes back unchanged, and [`EITHER`] lists the files that are left to the implementation.
//!
//! The suite is not part of the repository. If it is missing, the tests print so and pass, unless `CI` is set.

use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use tests::check::{error, is_same, result};
use tests::fast_and_strict::FastAndStrict;
use tests::json_test_suite::{File, as_id, as_member, as_param, files};

/// The treatment of a file that a parser may accept or refuse.
#[derive(Clone, Copy)]
enum Treatment {
    /// A parse error: not UTF-8, not JSON by RFC 8259, or too deep.
    Refused,
    /// A raw parameter gets the text unchanged; a parameter that needs the value is refused (-32602).
    RawOnly,
    /// A raw parameter gets the text unchanged; a parameter that needs the value gets the nearest one.
    Accepted,
}
use Treatment::{Accepted, RawOnly, Refused};

/// The files whose names begin with `i_`.
const EITHER: [(&str, Treatment); 35] = [
    // Raw values keep numbers of any size. As `f64`, small numbers become 0 and long integers are rounded; a number
    // above the range of `f64` has no value.
    ("i_number_double_huge_neg_exp", Accepted),
    ("i_number_huge_exp", RawOnly),
    ("i_number_neg_int_huge_exp", RawOnly),
    ("i_number_pos_double_huge_exp", RawOnly),
    ("i_number_real_neg_overflow", RawOnly),
    ("i_number_real_pos_overflow", RawOnly),
    ("i_number_real_underflow", Accepted),
    ("i_number_too_big_neg_int", Accepted),
    ("i_number_too_big_pos_int", Accepted),
    ("i_number_very_big_negative_int", Accepted),
    // JSON may escape a lone surrogate, but no Rust string can hold it.
    ("i_object_key_lone_2nd_surrogate", RawOnly),
    ("i_string_1st_surrogate_but_2nd_missing", RawOnly),
    ("i_string_1st_valid_surrogate_2nd_invalid", RawOnly),
    ("i_string_incomplete_surrogate_and_escape_valid", RawOnly),
    ("i_string_incomplete_surrogate_pair", RawOnly),
    ("i_string_incomplete_surrogates_escape_valid", RawOnly),
    ("i_string_invalid_lonely_surrogate", RawOnly),
    ("i_string_invalid_surrogate", RawOnly),
    ("i_string_inverted_surrogates_U+1D11E", RawOnly),
    ("i_string_lone_second_surrogate", RawOnly),
    // RFC 8259 §8.1: only UTF-8, without a byte order mark.
    ("i_string_UTF-16LE_with_BOM", Refused),
    ("i_string_UTF-8_invalid_sequence", Refused),
    ("i_string_UTF8_surrogate_U+D800", Refused),
    ("i_string_invalid_utf-8", Refused),
    ("i_string_iso_latin_1", Refused),
    ("i_string_lone_utf8_continuation_byte", Refused),
    ("i_string_not_in_unicode_range", Refused),
    ("i_string_overlong_sequence_2_bytes", Refused),
    ("i_string_overlong_sequence_6_bytes", Refused),
    ("i_string_overlong_sequence_6_bytes_null", Refused),
    ("i_string_truncated-utf-8", Refused),
    ("i_string_utf16BE_no_BOM", Refused),
    ("i_string_utf16LE_no_BOM", Refused),
    ("i_structure_UTF-8_BOM_empty_object", Refused),
    // Deeper than the default limit of 127.
    ("i_structure_500_nested_arrays", Refused),
];

/// Files without a value, which are valid between brackets.
const EMPTY: [&str; 2] = ["n_single_space.json", "n_structure_no_data.json"];

#[test]
fn invalid_json_is_a_parse_error_at_every_position() {
    let mut readers = FastAndStrict::new();
    for File { name, text } in starting("n_") {
        for message in [text.clone(), as_id(&text), as_member(&text)] {
            check(&mut readers, &name, &message, &parse_error());
        }
        for method in ["echo", "value", "numbers", "ping", "nope", "note"] {
            let message = as_param(method, &text);
            if !EMPTY.contains(&&*name) {
                check(&mut readers, &name, &message, &parse_error());
            } else if method == "echo" {
                check(&mut readers, &name, &message, &error(-32602, "1"));
            }
        }
    }
}

#[test]
fn valid_json_comes_back_unchanged() {
    let mut readers = FastAndStrict::new();
    for File { name, text } in starting("y_") {
        let json = std::str::from_utf8(&text).expect("JSON is UTF-8");
        check_raw(&mut readers, &name, json);
        check_values(&mut readers, &name, json);
        check_whole(&mut readers, &name, json);
        check_id(&mut readers, &name, json);
    }
}

#[test]
fn implementation_defined_json_is_treated_as_the_table_states() {
    let mut readers = FastAndStrict::new();
    let files = starting("i_");
    for File { name, text } in &files {
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let entry = EITHER.iter().find(|(file, _)| *file == stem);
        let (_, treatment) = entry.unwrap_or_else(|| panic!("{name} is not in the table"));
        if matches!(treatment, Refused) {
            let as_params = ["echo", "value"].map(|method| as_param(method, text));
            for message in [text.clone(), as_id(text), as_member(text)].iter().chain(&as_params) {
                check(&mut readers, name, message, &parse_error());
            }
            continue;
        }
        let json = std::str::from_utf8(text).expect("the table lists it as UTF-8");
        check_raw(&mut readers, name, json);
        check_values(&mut readers, name, json);
        check_whole(&mut readers, name, json);
        check_id(&mut readers, name, json);
        let has_value =
            readers.response(&as_param(method_with_value(json), text)).expect("one response").starts_with(RESULT);
        assert_eq!(has_value, matches!(treatment, Accepted), "{name}");
    }
    assert!(files.is_empty() || files.len() == EITHER.len());
}

const RESULT: &[u8] = br#"{"jsonrpc":"2.0","result""#;

/// Returns a method that needs the value of this JSON.
fn method_with_value(json: &str) -> &'static str {
    if json.contains('"') { "value" } else { "numbers" }
}

/// Checks a raw parameter in a single request and in a batch, of served methods and of an unknown one.
fn check_raw(readers: &mut FastAndStrict, name: &str, json: &str) {
    let value = json.trim_matches([' ', '\t', '\r', '\n']);
    for method in ["echo", "raw", "raw_borrowed"] {
        check(readers, name, &as_param(method, json.as_bytes()), &result(value, "1"));
    }
    check(readers, name, &as_param("nope", json.as_bytes()), &error(-32601, "1"));
    let batch = [b"[", &*as_param("echo", json.as_bytes()), b"]"].concat();
    check(readers, name, &batch, &format!("[{}]", result(value, "1")));
}

/// Checks parameters whose value is needed: the result is what `serde_json` reads, or -32602 if it fails.
fn check_values(readers: &mut FastAndStrict, name: &str, json: &str) {
    let expected = |read: serde_json::Result<String>| match read {
        Ok(value) => result(&value, "1"),
        Err(_) => error(-32602, "1"),
    };
    let value = serde_json::from_str::<Value>(json).map(|value| value.to_string());
    check(readers, name, &as_param("value", json.as_bytes()), &expected(value));
    let numbers = serde_json::from_str::<Vec<f64>>(json).map(|numbers| serde_json::to_string(&numbers).expect("data"));
    check(readers, name, &as_param("numbers", json.as_bytes()), &expected(numbers));
    let text = serde_json::from_str::<String>(json).map(|text| serde_json::to_string(&text).expect("data"));
    check(readers, name, &as_param("text", json.as_bytes()), &expected(text));
}

/// Checks a whole message and a member of a batch. Neither is a request; each member of an array is checked by itself.
fn check_whole(readers: &mut FastAndStrict, name: &str, json: &str) {
    let expected = match serde_json::from_str::<Vec<&RawValue>>(json) {
        Ok(members) if !members.is_empty() => format!("[{}]", vec![error(-32600, "null"); members.len()].join(",")),
        _ => invalid_request(json),
    };
    check(readers, name, json.as_bytes(), &expected);
    let [first, second] = ["1", "2"].map(|id| result(id, id));
    let responses = format!("[{first},{},{second}]", invalid_request(json));
    check(readers, name, &as_member(json.as_bytes()), &responses);
}

/// Returns the error for a value. One file of the suite is an object with an id.
fn invalid_request(json: &str) -> String {
    let members = serde_json::from_str::<BTreeMap<String, &RawValue>>(json).unwrap_or_default();
    error(-32600, members.get("id").map_or("null", |id| id.get()))
}

/// Checks an id: strings, numbers and null come back unchanged, other values are refused.
fn check_id(readers: &mut FastAndStrict, name: &str, json: &str) {
    let value = json.trim_matches([' ', '\t', '\r', '\n']);
    let expected = match value.as_bytes()[0] {
        b'[' | b'{' | b't' | b'f' => error(-32600, "null"),
        _ => result("0", value),
    };
    check(readers, name, &as_id(json.as_bytes()), &expected);
    // The `i_` files have their value between brackets; that value may be an id as well.
    if let Some(inside) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        && serde_json::from_str::<&RawValue>(inside).is_ok()
    {
        check_id(readers, name, inside);
    }
}

fn starting(prefix: &str) -> Vec<File> {
    files().unwrap_or_default().into_iter().filter(|file| file.name.starts_with(prefix)).collect()
}

fn parse_error() -> String {
    error(-32700, "null")
}

#[track_caller]
fn check(readers: &mut FastAndStrict, name: &str, message: &[u8], expected: &str) {
    let response = readers.response(message).unwrap_or_else(|error| panic!("{name}\n{error}"));
    let response = std::str::from_utf8(response).expect("JSON is UTF-8");
    assert!(is_same(expected, response), "{name}\nexpected {expected}\ngot      {response}");
}
