//! Why parameters do not fit a method, told without Rust's own type paths.

use crate::wire::ErrorObject;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;

/// Parameters that do not fit a method: answered with -32602.
#[derive(Debug)]
pub struct BadParams {
    pub(super) location: Location,
    pub(super) error: serde_json::Error,
    pub(super) names: &'static [&'static str],
}

/// Which parameter a failure is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Location {
    /// None in particular.
    Whole,
    /// The value of the parameter of this position.
    Value(usize),
    /// The parameter of this position, given twice.
    Repeated(usize),
    /// A name that the method does not know; it is in the error's text.
    Unknown,
    /// A value beyond the last parameter.
    TooMany,
}

impl BadParams {
    /// Whether the text ended within the parameters: then the whole message is not JSON.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.error.is_eof()
    }

    /// The error object for the caller: its data names the parameter, its position from 0, and what
    /// was expected.
    pub(crate) fn to_object(&self) -> ErrorObject {
        ErrorObject::new(ErrorObject::INVALID_PARAMS, "Invalid params").with_data(self)
    }
}

impl Serialize for BadParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = text(&self.error);
        let mut map = serializer.serialize_map(None)?;
        let known = || match self.names {
            [] => "no parameters".to_owned(),
            names => format!("only `{}`", names.join("`, `")),
        };
        match self.location {
            Location::Value(position) | Location::Repeated(position) => {
                if let Some(name) = self.names.get(position) {
                    map.serialize_entry("param", name)?;
                    map.serialize_entry("position", &position)?;
                }
                match expected(&text) {
                    Some(expected) if matches!(self.location, Location::Value(_)) => {
                        map.serialize_entry("expected", &plain(expected))?;
                    }
                    _ => {}
                }
            }
            Location::Unknown => {
                map.serialize_entry("param", &cut(&text))?;
                map.serialize_entry("expected", &known())?;
                map.serialize_entry("reason", "unknown parameter")?;
                return map.end();
            }
            Location::TooMany => map.serialize_entry("expected", &known())?,
            Location::Whole => {
                if let Some(expected) = expected(&text) {
                    map.serialize_entry("expected", &plain(expected))?;
                }
            }
        }
        map.serialize_entry("reason", &reason(&text))?;
        map.end()
    }
}

/// How much of a caller's own text goes back to it, in characters.
const SHOWN: usize = 200;

/// The error's text without the place in the message, which is counted from where decoding began.
fn text(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // Errors that a type words itself have no place.
    let end = if error.line() == 0 { None } else { text.rfind(" at line ") };
    text[..end.unwrap_or(text.len())].to_owned()
}

/// The text, cut.
fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// What serde says, with Rust's names of types said for everybody.
fn reason(text: &str) -> String {
    match text.rsplit_once(", expected ") {
        // What `absent` says of a parameter that is not there.
        Some(("invalid type: nothing", _)) => "missing".to_owned(),
        Some((found, expected)) => format!("{}, expected {}", cut(found), plain(expected)),
        None => cut(text).into_owned(),
    }
}

/// serde's errors of type say last what was expected.
fn expected(text: &str) -> Option<&str> {
    text.rsplit_once(", expected ").map(|(_, expected)| expected)
}

/// Rust's names of types, said for everybody.
fn plain(expected: &str) -> String {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
            format!("an integer ({expected})")
        }
        "f32" | "f64" => format!("a number ({expected})"),
        "unit" => "null".to_owned(),
        "a map" => "an object".to_owned(),
        "a sequence" => "an array".to_owned(),
        other => match other.split_once(' ') {
            Some(("struct", _)) => "an object".to_owned(),
            Some(("tuple", _)) => "an array".to_owned(),
            Some(("enum", _)) => "one of its variants".to_owned(),
            _ => cut(other).into_owned(),
        },
    }
}
