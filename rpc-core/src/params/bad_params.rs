//! Params that do not fit a method, described without the names of Rust's types.

use crate::wire::ErrorObject;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use std::fmt::Display;

/// Params that do not fit a method. Converts into the error object -32602 (invalid params).
///
/// A generated service creates it while it decodes params. A hand-written [`Service`](crate::server::Service)
/// creates it to refuse params, and returns it from [`Service::decode`](crate::server::Service::decode). The
/// `data` of the error object has these members:
///
/// | member | content | present |
/// |---|---|---|
/// | `param` | the name of the parameter | if one parameter does not fit |
/// | `position` | its position, counted from 0 | if the method knows the parameter |
/// | `expected` | the expected type, or the names that the method knows | if decoding reports it |
/// | `reason` | the fault | always |
///
/// ```
/// use rpc_core::ErrorObject;
/// use rpc_core::server::BadParams;
///
/// let error = ErrorObject::from(BadParams::for_param("divisor", 1, "must not be zero"));
/// assert_eq!((error.code, &*error.message), (-32602, "Invalid params"));
/// let data = error.data.as_ref().map(|data| data.get());
/// assert_eq!(data, Some(r#"{"param":"divisor","position":1,"reason":"must not be zero"}"#));
///
/// let error = ErrorObject::from(BadParams::new("give `from` or `to`"));
/// assert_eq!(error.data.as_ref().map(|data| data.get()), Some(r#"{"reason":"give `from` or `to`"}"#));
/// ```
#[derive(Debug)]
pub struct BadParams(Fault);

#[derive(Debug)]
enum Fault {
    /// A failure of decoding.
    Decode { location: Location, error: serde_json::Error, names: &'static [&'static str] },
    /// A refusal by a hand-written service. Boxed, so that the `Result` of decoding does not grow.
    Refused(Box<Refused>),
}

#[derive(Debug)]
struct Refused {
    param: Option<(Cow<'static, str>, usize)>,
    reason: String,
}

/// The part of the params that does not fit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Location {
    /// The params as a whole.
    Whole,
    /// The value of the parameter at this position.
    Value(usize),
    /// The parameter at this position, which is repeated.
    Repeated(usize),
    /// A name that the method does not know. The error's text is that name.
    Unknown,
    /// A value past the last parameter.
    TooMany,
}

impl BadParams {
    /// Refuses the params as a whole. `reason` is sent to the caller unchanged.
    #[must_use]
    pub fn new(reason: impl Display) -> Self {
        Self::refused(None, reason)
    }

    /// Refuses the parameter `name` at `position`, counted from 0. `reason` is sent to the caller unchanged.
    #[must_use]
    pub fn for_param(name: impl Into<Cow<'static, str>>, position: usize, reason: impl Display) -> Self {
        Self::refused(Some((name.into(), position)), reason)
    }

    fn refused(param: Option<(Cow<'static, str>, usize)>, reason: impl Display) -> Self {
        BadParams(Fault::Refused(Box::new(Refused { param, reason: reason.to_string() })))
    }

    /// Describes a failure of decoding. `names` are those of the method's parameters.
    pub(super) fn from_decode_error(
        location: Location,
        error: serde_json::Error,
        names: &'static [&'static str],
    ) -> Self {
        BadParams(Fault::Decode { location, error, names })
    }

    /// Returns `true` if the text ended inside the params. The whole message is not JSON then.
    pub(crate) fn is_cut_off(&self) -> bool {
        matches!(&self.0, Fault::Decode { error, .. } if error.is_eof())
    }
}

impl From<BadParams> for ErrorObject {
    fn from(bad: BadParams) -> Self {
        ErrorObject::invalid_params_with(&bad)
    }
}

impl Serialize for BadParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.0 {
            Fault::Decode { location, error, names } => describe(*location, &text(error), names, &mut map)?,
            Fault::Refused(refused) => {
                if let Some((name, position)) = &refused.param {
                    map.serialize_entry("param", name)?;
                    map.serialize_entry("position", position)?;
                }
                map.serialize_entry("reason", &refused.reason)?;
            }
        }
        map.end()
    }
}

/// Writes the members that describe a failure of decoding. `text` is the text of its error.
fn describe<M: SerializeMap>(location: Location, text: &str, names: &[&str], map: &mut M) -> Result<(), M::Error> {
    let known = || match names {
        [] => "no parameters".to_owned(),
        names => format!("only `{}`", names.join("`, `")),
    };
    match location {
        Location::Value(position) | Location::Repeated(position) => {
            if let Some(name) = names.get(position) {
                map.serialize_entry("param", name)?;
                map.serialize_entry("position", &position)?;
            }
            match expected(text) {
                Some(expected) if matches!(location, Location::Value(_)) => {
                    map.serialize_entry("expected", &plain(expected))?;
                }
                _ => {}
            }
        }
        Location::Unknown => {
            map.serialize_entry("param", &cut(text))?;
            map.serialize_entry("expected", &known())?;
            return map.serialize_entry("reason", "unknown parameter");
        }
        Location::TooMany => map.serialize_entry("expected", &known())?,
        Location::Whole => {
            if let Some(expected) = expected(text) {
                map.serialize_entry("expected", &plain(expected))?;
            }
        }
    }
    map.serialize_entry("reason", &reason(text))
}

/// The longest excerpt of the caller's own text that is sent back, in characters.
const MAX_EXCERPT: usize = 200;

/// Returns the error's text without its line and column, which count from where decoding started, not from
/// the start of the message.
fn text(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // A custom error of a type's own `Deserialize` has no line.
    let end = if error.line() == 0 { None } else { text.rfind(" at line ") };
    text[..end.unwrap_or(text.len())].to_owned()
}

/// Cuts the text to `MAX_EXCERPT` characters.
fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Returns the text of serde's error with JSON's names of types in place of Rust's.
fn reason(text: &str) -> String {
    match text.rsplit_once(", expected ") {
        // The error that `absent` reports for an absent parameter.
        Some(("invalid type: nothing", _)) => "missing".to_owned(),
        Some((found, expected)) => format!("{}, expected {}", cut(found), plain(expected)),
        None => cut(text).into_owned(),
    }
}

/// Returns the expected type, which is the last part of serde's error about a type.
fn expected(text: &str) -> Option<&str> {
    text.rsplit_once(", expected ").map(|(_, expected)| expected)
}

/// Replaces Rust's name of a type with JSON's.
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
