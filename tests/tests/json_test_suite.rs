//! `JSONTestSuite` in every place of a message: what must be refused is a parse error under the id null,
//! what must be accepted comes back to the letter, and what may be either is in [`EITHER`].
//!
//! The suite is no part of the project; without it nothing is tested, and that is said.

use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use tests::check::{error, is_same, result};
use tests::json_test_suite::{File, as_id, as_member, files, within};
use tests::twins::Twins;

/// What becomes of a file that a parser may accept or refuse.
#[derive(Clone, Copy)]
enum Fate {
    /// Parse error: it is not UTF-8, not JSON by RFC 8259, or too deep.
    Refused,
    /// A raw parameter gets it to the letter; one that needs its value cannot have it (-32602).
    RawOnly,
    /// A raw parameter gets it to the letter, one that needs its value the nearest one.
    Accepted,
}
use Fate::{Accepted, RawOnly, Refused};

/// The files whose name begins with `i_`.
const EITHER: [(&str, Fate); 35] = [
    // Numbers stay what they are in raw values, whatever their size. As `f64` the small ones are 0 and
    // long integers are rounded; what is larger than any `f64` has no value.
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
    // Half of a surrogate pair may be escaped in JSON, but no Rust string can hold it.
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
    // RFC 8259, section 8.1: UTF-8 and nothing else, without a byte order mark.
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
    // Deeper than 127.
    ("i_structure_500_nested_arrays", Refused),
];

/// Files that are no value, but between brackets no value is needed.
const NOTHING: [&str; 2] = ["n_single_space.json", "n_structure_no_data.json"];

#[test]
fn what_must_be_refused_is_a_parse_error_wherever_it_stands() {
    let mut twins = Twins::new();
    for File { name, text } in starting("n_") {
        for place in [text.clone(), as_id(&text), as_member(&text)] {
            check(&mut twins, &name, &place, &parse_error());
        }
        for method in ["echo", "value", "numbers", "ping", "nope", "note"] {
            let message = within(method, &text);
            if !NOTHING.contains(&&*name) {
                check(&mut twins, &name, &message, &parse_error());
            } else if method == "echo" {
                check(&mut twins, &name, &message, &error(-32602, "1"));
            }
        }
    }
}

#[test]
fn what_must_be_accepted_comes_back_to_the_letter() {
    let mut twins = Twins::new();
    for File { name, text } in starting("y_") {
        let json = std::str::from_utf8(&text).expect("JSON is UTF-8");
        check_raw(&mut twins, &name, json);
        check_values(&mut twins, &name, json);
        check_whole(&mut twins, &name, json);
        check_id(&mut twins, &name, json);
    }
}

#[test]
fn what_may_be_either_is_as_the_table_says() {
    let mut twins = Twins::new();
    let files = starting("i_");
    for File { name, text } in &files {
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let (_, fate) = EITHER.iter().find(|(known, _)| *known == stem).unwrap_or_else(|| panic!("what of {name}?"));
        if matches!(fate, Refused) {
            for place in [text.clone(), within("echo", text), within("value", text), as_id(text), as_member(text)] {
                check(&mut twins, name, &place, &parse_error());
            }
            continue;
        }
        let json = std::str::from_utf8(text).expect("checked by its fate");
        check_raw(&mut twins, name, json);
        check_values(&mut twins, name, json);
        check_whole(&mut twins, name, json);
        check_id(&mut twins, name, json);
        let has_value = twins.response(&within(typed_for(json), text)).expect("one answer").starts_with(RESULT);
        assert_eq!(has_value, matches!(fate, Accepted), "{name}");
    }
    assert!(files.is_empty() || files.len() == EITHER.len());
}

const RESULT: &[u8] = br#"{"jsonrpc":"2.0","result""#;

/// The method that needs the value of such JSON.
fn typed_for(json: &str) -> &'static str {
    if json.contains('"') { "value" } else { "numbers" }
}

/// As a raw parameter, alone and in a batch, to a method that is there and to one that is not.
fn check_raw(twins: &mut Twins, name: &str, json: &str) {
    let value = json.trim_matches([' ', '\t', '\r', '\n']);
    for method in ["echo", "raw", "raw_borrowed"] {
        check(twins, name, &within(method, json.as_bytes()), &result(value, "1"));
    }
    check(twins, name, &within("nope", json.as_bytes()), &error(-32601, "1"));
    let batch = [b"[", &*within("echo", json.as_bytes()), b"]"].concat();
    check(twins, name, &batch, &format!("[{}]", result(value, "1")));
}

/// As a parameter whose value is needed: what `serde_json` reads, or -32602 if it reads nothing.
fn check_values(twins: &mut Twins, name: &str, json: &str) {
    let wanted = |read: serde_json::Result<String>| match read {
        Ok(value) => result(&value, "1"),
        Err(_) => error(-32602, "1"),
    };
    let value = serde_json::from_str::<Value>(json).map(|value| value.to_string());
    check(twins, name, &within("value", json.as_bytes()), &wanted(value));
    let numbers = serde_json::from_str::<Vec<f64>>(json).map(|numbers| serde_json::to_string(&numbers).expect("data"));
    check(twins, name, &within("numbers", json.as_bytes()), &wanted(numbers));
    let text = serde_json::from_str::<String>(json).map(|text| serde_json::to_string(&text).expect("data"));
    check(twins, name, &within("text", json.as_bytes()), &wanted(text));
}

/// As a whole message, and as a member of a batch: no request, each member of an array on its own.
fn check_whole(twins: &mut Twins, name: &str, json: &str) {
    let wanted = match serde_json::from_str::<Vec<&RawValue>>(json) {
        Ok(members) if !members.is_empty() => format!("[{}]", vec![error(-32600, "null"); members.len()].join(",")),
        _ => no_request(json),
    };
    check(twins, name, json.as_bytes(), &wanted);
    let [first, second] = ["1", "2"].map(|id| result(id, id));
    let among_others = format!("[{first},{},{second}]", no_request(json));
    check(twins, name, &as_member(json.as_bytes()), &among_others);
}

/// The error for a value; one file of the suite is an object with an id.
fn no_request(json: &str) -> String {
    let members = serde_json::from_str::<BTreeMap<String, &RawValue>>(json).unwrap_or_default();
    error(-32600, members.get("id").map_or("null", |id| id.get()))
}

/// As an id: strings, numbers and null go back to the letter, others are none.
fn check_id(twins: &mut Twins, name: &str, json: &str) {
    let value = json.trim_matches([' ', '\t', '\r', '\n']);
    let wanted = match value.as_bytes()[0] {
        b'[' | b'{' | b't' | b'f' => error(-32600, "null"),
        _ => result("0", value),
    };
    check(twins, name, &as_id(json.as_bytes()), &wanted);
    // What may be either is in brackets; what is in them may be an id as well.
    if let Some(inside) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        && serde_json::from_str::<&RawValue>(inside).is_ok()
    {
        check_id(twins, name, inside);
    }
}

fn starting(prefix: &str) -> Vec<File> {
    files().unwrap_or_default().into_iter().filter(|file| file.name.starts_with(prefix)).collect()
}

fn parse_error() -> String {
    error(-32700, "null")
}

#[track_caller]
fn check(twins: &mut Twins, name: &str, message: &[u8], wanted: &str) {
    let response = twins.response(message).unwrap_or_else(|error| panic!("{name}\n{error}"));
    let response = std::str::from_utf8(response).expect("JSON is UTF-8");
    assert!(is_same(wanted, response), "{name}\nwants {wanted}\ngot   {response}");
}
