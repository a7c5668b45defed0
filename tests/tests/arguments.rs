//! The types that an argument may have: borrowed, optional under another name, the whole of the params.

use rpc_core::{Server, rpc};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use tests::check::{check, error, result};

type Maybe = Option<i64>;
type MaybeFor<T> = Option<T>;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Point {
    #[serde(default)]
    x: i64,
    #[serde(default)]
    y: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Strict {
    x: i64,
}

/// Borrows from the message, and cannot do otherwise.
#[derive(Debug, Serialize)]
struct Tag<'a>(&'a str);

impl<'de: 'a, 'a> Deserialize<'de> for Tag<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowing;
        impl<'de> Visitor<'de> for Borrowing {
            type Value = Tag<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a tag")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Tag<'de>, E> {
                Ok(Tag(text))
            }
        }
        deserializer.deserialize_str(Borrowing)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

#[rpc]
trait Types {
    async fn list(&self, #[rpc(flatten)] v: Vec<i64>) -> Vec<i64>;
    async fn slice(&self, #[rpc(flatten)] v: &[i64]) -> i64;
    async fn pair(&self, #[rpc(flatten)] v: (i64, String)) -> String;
    async fn object(&self, #[rpc(flatten)] v: Point) -> Point;
    async fn borrowed_object(&self, #[rpc(flatten)] v: &Point) -> i64;
    async fn strict(&self, #[rpc(flatten)] v: Strict) -> i64;
    async fn optional(&self, #[rpc(flatten)] v: Option<Point>) -> Option<Point>;
    async fn value(&self, #[rpc(flatten)] v: Value) -> Value;
    async fn raw(&self, #[rpc(flatten)] v: Box<RawValue>) -> Box<RawValue>;
    async fn text(&self, s: &str) -> String;
    async fn maybe_text(&self, n: u8, s: Option<&str>) -> Option<String>;
    async fn cow(&self, s: Cow<'_, str>) -> (bool, String);
    async fn numbers(&self, v: &[i64]) -> i64;
    async fn maybe_numbers(&self, v: Option<&[i64]>) -> Option<i64>;
    async fn tag(&self, t: Tag<'_>) -> usize;
    async fn named(&self, n: Named<'_>) -> (bool, String);
    async fn alias(&self, n: u8, m: Maybe, k: MaybeFor<String>) -> (Option<i64>, Option<String>);
    async fn kept(&self, v: Box<RawValue>) -> Box<RawValue>;
}

struct Mine;

impl Types for Mine {
    async fn list(&self, v: Vec<i64>) -> Vec<i64> {
        v
    }
    async fn slice(&self, v: &[i64]) -> i64 {
        v.iter().sum()
    }
    async fn pair(&self, v: (i64, String)) -> String {
        format!("{}{}", v.0, v.1)
    }
    async fn object(&self, v: Point) -> Point {
        v
    }
    async fn borrowed_object(&self, v: &Point) -> i64 {
        v.x + v.y
    }
    async fn strict(&self, v: Strict) -> i64 {
        v.x
    }
    async fn optional(&self, v: Option<Point>) -> Option<Point> {
        v
    }
    async fn value(&self, v: Value) -> Value {
        v
    }
    async fn raw(&self, v: Box<RawValue>) -> Box<RawValue> {
        v
    }
    async fn text(&self, s: &str) -> String {
        s.to_owned()
    }
    async fn maybe_text(&self, _: u8, s: Option<&str>) -> Option<String> {
        s.map(str::to_owned)
    }
    async fn cow(&self, s: Cow<'_, str>) -> (bool, String) {
        (matches!(s, Cow::Borrowed(_)), s.into_owned())
    }
    async fn numbers(&self, v: &[i64]) -> i64 {
        v.iter().sum()
    }
    async fn maybe_numbers(&self, v: Option<&[i64]>) -> Option<i64> {
        v.map(|v| v.iter().sum())
    }
    async fn tag(&self, t: Tag<'_>) -> usize {
        t.0.len()
    }
    async fn named(&self, n: Named<'_>) -> (bool, String) {
        (matches!(n.name, Cow::Borrowed(_)), n.name.into_owned())
    }
    async fn alias(&self, _: u8, m: Maybe, k: MaybeFor<String>) -> (Option<i64>, Option<String>) {
        (m, k)
    }
    async fn kept(&self, v: Box<RawValue>) -> Box<RawValue> {
        v
    }
}

/// Calls `method` with these params, or without any when they are empty.
fn call(method: &str, params: &str, wanted: &str) {
    let server = Server::new(TypesService::new(Mine));
    let params = if params.is_empty() { String::new() } else { format!(r#","params":{params}"#) };
    let response =
        if wanted.starts_with("-32") { error(wanted.parse().expect("a code"), "1") } else { result(wanted, "1") };
    check(&server, format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params},"id":1}}"#), &response);
    // In front of the method the params are read the exact way, and nothing may differ.
    if let Some(params) = params.strip_prefix(',') {
        check(&server, format!(r#"{{"id":1,{params},"method":"{method}","jsonrpc":"2.0"}}"#), &response);
    }
}

#[test]
fn a_flat_argument_is_the_whole_of_the_params() {
    call("list", "[1,2,3]", "[1,2,3]");
    call("list", r#"{"v":[1]}"#, "-32602");
    call("list", r#"["x"]"#, "-32602");
    call("slice", "[1,2,3]", "6");
    call("pair", r#"[1,"a"]"#, r#""1a""#);
    call("pair", "[1]", "-32602");
    call("object", r#"{"y":2,"x":1}"#, r#"{"x":1,"y":2}"#);
    call("object", r#"{"v":{}}"#, "-32602");
    call("borrowed_object", r#"{"x":1,"y":2}"#, "3");
    call("strict", r#"{"x":1}"#, "1");
    call("optional", r#"{"x":1}"#, r#"{"x":1,"y":0}"#);
    call("value", r#"{"b":[null,1.5]}"#, r#"{"b":[null,1.5]}"#);
    call("raw", r#"[1.0, {"a":1e2}]"#, r#"[1.0, {"a":1e2}]"#);
}

#[test]
fn absent_params_read_as_an_empty_list_nothing_or_an_empty_object() {
    for params in ["", "null", " null "] {
        call("list", params, "[]");
        call("slice", params, "0");
        call("pair", params, "-32602");
        call("object", params, r#"{"x":0,"y":0}"#);
        call("borrowed_object", params, "0");
        call("strict", params, "-32602");
        call("optional", params, "null");
        call("value", params, "{}");
        call("raw", params, "{}");
    }
}

#[test]
fn a_string_is_borrowed_when_it_can_be_and_right_when_it_cannot() {
    for (written, meant) in [
        (r#""plain""#, r#""plain""#),
        (r#""é漢😀""#, r#""é漢😀""#),
        (r#""a\u0062\n\/\"""#, r#""ab\n/\"""#),
        (r#""\ud83d\ude00""#, r#""😀""#),
        (r#""""#, r#""""#),
    ] {
        let is_borrowed = !written.contains('\\');
        call("text", &format!("[{written}]"), meant);
        call("text", &format!(r#"{{"s":{written}}}"#), meant);
        call("maybe_text", &format!("[1,{written}]"), meant);
        call("cow", &format!("[{written}]"), &format!("[{is_borrowed},{meant}]"));
        call("named", &format!(r#"[{{"name":{written}}}]"#), &format!("[{is_borrowed},{meant}]"));
    }
    call("maybe_text", "[1]", "null");
    call("maybe_text", "[1,null]", "null");
    call("maybe_text", r#"{"n":1}"#, "null");
    call("text", "[1]", "-32602");
    call("text", "[]", "-32602");
    call("text", r#"["\ud800"]"#, "-32602");
}

#[test]
fn a_type_that_only_borrows_says_so_itself() {
    call("tag", r#"["abc"]"#, "3");
    call("tag", r#"{"t":"abc"}"#, "3");
    call("tag", r#"["a\u0062c"]"#, "-32602");
}

#[test]
fn lists_are_lent_as_slices() {
    call("numbers", "[[1,2]]", "3");
    call("numbers", "[]", "-32602");
    call("maybe_numbers", "[[1,2]]", "3");
    call("maybe_numbers", "[]", "null");
    call("maybe_numbers", r#"{"v":null}"#, "null");
}

#[test]
fn optional_is_decided_by_the_type_not_by_its_name() {
    call("alias", "[1]", "[null,null]");
    call("alias", r#"{"n":1}"#, "[null,null]");
    call("alias", r#"{"n":1,"k":"a\tb"}"#, r#"[null,"a\tb"]"#);
    call("alias", r#"[1,null,"a"]"#, r#"[null,"a"]"#);
    call("alias", r#"[1,2,"a"]"#, r#"[2,"a"]"#);
    call("alias", "[]", "-32602");
}

#[test]
fn a_raw_argument_is_kept_to_the_letter_and_may_not_be_absent() {
    for raw in ["1.0", "-0", "1E2", "[ 1 ]", "null", r#""\u0061""#, "123456789012345678901234567890"] {
        call("kept", &format!("[{raw}]"), raw);
        call("kept", &format!(r#"{{"v":{raw}}}"#), raw);
    }
    call("kept", "[]", "-32602");
    call("kept", "{}", "-32602");
}
