//! Argument types: borrowed types, aliases of `Option`, and flattened arguments.

use rpc_core::{Server, rpc};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use tests::check::{check, error, result};

type OptionalNumber = Option<i64>;
type Optional<T> = Option<T>;

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

/// Can only be decoded by borrowing from the message.
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
    async fn alias(&self, n: u8, m: OptionalNumber, k: Optional<String>) -> (Option<i64>, Option<String>);
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
    async fn alias(&self, _: u8, m: OptionalNumber, k: Optional<String>) -> (Option<i64>, Option<String>) {
        (m, k)
    }
    async fn kept(&self, v: Box<RawValue>) -> Box<RawValue> {
        v
    }
}

/// Calls `method` and checks the response: `expected` is the result, or the code of the error. Empty `params` are
/// absent.
fn call(method: &str, params: &str, expected: &str) {
    let server = Server::new(TypesService::new(Mine));
    let params = if params.is_empty() { String::new() } else { format!(r#","params":{params}"#) };
    let response =
        if expected.starts_with("-32") { error(expected.parse().expect("a code"), "1") } else { result(expected, "1") };
    check(&server, format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params},"id":1}}"#), &response);
    // The strict reader handles a request whose params precede its method. The response must be the same.
    if let Some(params) = params.strip_prefix(',') {
        check(&server, format!(r#"{{"id":1,{params},"method":"{method}","jsonrpc":"2.0"}}"#), &response);
    }
}

#[test]
fn a_flattened_argument_is_decoded_from_the_whole_params() {
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
fn absent_params_are_decoded_as_an_empty_list_none_or_an_empty_object() {
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
fn a_string_is_borrowed_if_it_has_no_escapes() {
    for (written, decoded) in [
        (r#""plain""#, r#""plain""#),
        (r#""é漢😀""#, r#""é漢😀""#),
        (r#""a\u0062\n\/\"""#, r#""ab\n/\"""#),
        (r#""\ud83d\ude00""#, r#""😀""#),
        (r#""""#, r#""""#),
    ] {
        let is_borrowed = !written.contains('\\');
        call("text", &format!("[{written}]"), decoded);
        call("text", &format!(r#"{{"s":{written}}}"#), decoded);
        call("maybe_text", &format!("[1,{written}]"), decoded);
        call("cow", &format!("[{written}]"), &format!("[{is_borrowed},{decoded}]"));
        call("named", &format!(r#"[{{"name":{written}}}]"#), &format!("[{is_borrowed},{decoded}]"));
    }
    call("maybe_text", "[1]", "null");
    call("maybe_text", "[1,null]", "null");
    call("maybe_text", r#"{"n":1}"#, "null");
    call("text", "[1]", "-32602");
    call("text", "[]", "-32602");
    call("text", r#"["\ud800"]"#, "-32602");
}

#[test]
fn a_type_that_must_borrow_refuses_an_escaped_string() {
    call("tag", r#"["abc"]"#, "3");
    call("tag", r#"{"t":"abc"}"#, "3");
    call("tag", r#"["a\u0062c"]"#, "-32602");
}

#[test]
fn an_array_is_decoded_into_a_borrowed_slice() {
    call("numbers", "[[1,2]]", "3");
    call("numbers", "[]", "-32602");
    call("maybe_numbers", "[[1,2]]", "3");
    call("maybe_numbers", "[]", "null");
    call("maybe_numbers", r#"{"v":null}"#, "null");
}

#[test]
fn an_alias_of_option_is_optional() {
    call("alias", "[1]", "[null,null]");
    call("alias", r#"{"n":1}"#, "[null,null]");
    call("alias", r#"{"n":1,"k":"a\tb"}"#, r#"[null,"a\tb"]"#);
    call("alias", r#"[1,null,"a"]"#, r#"[null,"a"]"#);
    call("alias", r#"[1,2,"a"]"#, r#"[2,"a"]"#);
    call("alias", "[]", "-32602");
}

#[test]
fn a_raw_argument_keeps_its_text_and_is_required() {
    for raw in ["1.0", "-0", "1E2", "[ 1 ]", "null", r#""\u0061""#, "123456789012345678901234567890"] {
        call("kept", &format!("[{raw}]"), raw);
        call("kept", &format!(r#"{{"v":{raw}}}"#), raw);
    }
    call("kept", "[]", "-32602");
    call("kept", "{}", "-32602");
}
