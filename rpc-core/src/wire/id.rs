//! The id of a request: a validated JSON token, kept and echoed with its original spelling.

use super::token::{Decimal, copy_of, unescape};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The id of a request (§4): a string, a number or null, kept as the JSON token that was sent.
///
/// The spelling of the token is preserved: `1.0`, `1e2` or a number of thirty digits are echoed unchanged.
/// Comparison is by JSON value: `7` equals `7.0`, `"a"` equals `"\u0061"`, and `7` never equals `"7"`.
///
/// ```
/// use rpc_core::wire::Id;
///
/// let id = Id::from_token("1e2")?;
/// assert_eq!(id, Id::from(100));
/// assert_eq!(id.as_token(), "1e2");
/// assert_ne!(Id::from(7), Id::from("7"));
/// assert!(Id::from_token("[]").is_err());
/// # Ok::<(), rpc_core::wire::InvalidId>(())
/// ```
pub struct Id<'a>(Cow<'a, str>);

impl Clone for Id<'_> {
    #[inline]
    fn clone(&self) -> Self {
        Id(copy_of(&self.0))
    }
}

impl<'a> Id<'a> {
    /// The id `null`: the id of an error response if the id of the request could not be read (§5).
    pub const NULL: Id<'static> = Id(Cow::Borrowed("null"));

    /// Creates an id from a JSON token: a string with its quotes, a number, or `null`.
    ///
    /// # Errors
    ///
    /// [`InvalidId`] if `token` is anything else, or if there is white space around it.
    pub fn from_token(token: &'a str) -> Result<Self, InvalidId> {
        let is_one_token = serde_json::from_str::<&RawValue>(token).is_ok_and(|raw| raw.get().len() == token.len());
        if is_one_token { Self::from_value(token).ok_or(InvalidId) } else { Err(InvalidId) }
    }

    /// Creates an id from the text of a JSON value; `None` if the value is not a string, a number or null.
    pub(super) fn from_value(text: &'a str) -> Option<Self> {
        matches!(text.as_bytes().first(), Some(b'"' | b'n' | b'-' | b'0'..=b'9')).then_some(Id(Cow::Borrowed(text)))
    }

    /// Creates an id from a token that is known to be valid.
    #[inline]
    pub(crate) const fn from_valid_token(token: &'a str) -> Self {
        Id(Cow::Borrowed(token))
    }

    /// Returns the JSON token.
    #[must_use]
    pub fn as_token(&self) -> &str {
        &self.0
    }

    /// Returns `true` if the id is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.0 == "null"
    }

    /// Returns the number if the id is a natural number that fits into a `u64`. The id `7.0` is 7.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.0.as_bytes().first() {
            Some(b'"' | b'n') | None => None,
            Some(_) => self.0.parse().ok().or_else(|| Decimal::parse(&self.0)?.integer()),
        }
    }

    /// Returns the string, without quotes and escapes, if the id is one. Returns `None` for a string with a
    /// lone surrogate, which a Rust string cannot hold.
    #[must_use]
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        if self.0.starts_with('"') { unescape(&self.0) } else { None }
    }

    /// Converts the id into one that borrows nothing.
    #[must_use]
    pub fn into_owned(self) -> Id<'static> {
        Id(Cow::Owned(self.0.into_owned()))
    }

    /// Returns the form that equal ids share. Ids without such a form are compared by their tokens.
    fn canonical(&self) -> Canonical<'_> {
        let form = match self.0.as_bytes().first() {
            Some(b'"') => unescape(&self.0).map(Canonical::String),
            Some(b'n') | None => None,
            Some(_) => Decimal::parse(&self.0).map(Canonical::Number),
        };
        form.unwrap_or(Canonical::Token(&self.0))
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Canonical<'a> {
    String(Cow<'a, str>),
    Number(Decimal),
    Token(&'a str),
}

impl PartialEq<Id<'_>> for Id<'_> {
    fn eq(&self, other: &Id<'_>) -> bool {
        self.0 == other.0 || self.canonical() == other.canonical()
    }
}
impl Eq for Id<'_> {}

impl Hash for Id<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}

impl fmt::Debug for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.0)
    }
}

/// Writes the JSON token.
impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! from_numbers {
    ($($number:ty)*) => {$(
        impl From<$number> for Id<'static> {
            fn from(number: $number) -> Self {
                Id(Cow::Owned(number.to_string()))
            }
        }
    )*};
}
from_numbers!(i32 u32 i64);

impl From<String> for Id<'static> {
    fn from(string: String) -> Self {
        Id::from(&*string)
    }
}

impl From<&String> for Id<'static> {
    fn from(string: &String) -> Self {
        Id::from(&**string)
    }
}

impl From<u64> for Id<'static> {
    fn from(number: u64) -> Self {
        Id(Cow::Owned(number.to_string()))
    }
}

impl From<&str> for Id<'static> {
    fn from(string: &str) -> Self {
        // The `Display` of a `Value` is its JSON.
        Id(Cow::Owned(serde_json::Value::from(string).to_string()))
    }
}

impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(&self.0).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

/// Works only with `serde_json::from_str` and `serde_json::from_slice`, because the id borrows its token from
/// the input.
impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let token = <&'de RawValue>::deserialize(deserializer)?;
        Id::from_value(token.get()).ok_or_else(|| serde::de::Error::custom(InvalidId))
    }
}

/// The error for a token that is not a valid id.
///
/// ```
/// use rpc_core::wire::{Id, InvalidId};
///
/// assert_eq!(Id::from_token("{}"), Err(InvalidId));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidId;

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id is a JSON string, a JSON number or null")
    }
}
impl std::error::Error for InvalidId {}

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn an_id_keeps_the_spelling_of_its_token() {
        for token in ["0", "-1", "1.5", "1.0", "1e2", "18446744073709551616", r#""\u0061""#, r#""\ud800""#, "null"] {
            assert_eq!(Id::from_token(token).map(|id| id.to_string()).as_deref(), Ok(token));
        }
    }

    #[test]
    fn an_invalid_token_is_rejected() {
        for token in ["", "true", "{}", "[1]", " 1", "1 ", "01", "+1", "nul", "\"a", "a"] {
            assert!(Id::from_token(token).is_err(), "{token}");
        }
    }

    #[test]
    fn ids_are_compared_as_json_values() {
        let id = |token| Id::from_token(token).unwrap_or(Id::NULL);
        assert_eq!(id("7.0"), id("7"));
        assert_eq!(id(r#""a""#), id(r#""\u0061""#));
        assert_ne!(id("7"), id(r#""7""#));
        assert_ne!(id("null"), id(r#""null""#));
        assert_eq!(id("7.0").as_u64(), Some(7));
        assert_eq!(id(r#""7""#).as_u64(), None);
        assert_eq!(id("-7").as_u64(), None);
    }
}
