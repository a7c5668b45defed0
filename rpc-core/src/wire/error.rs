//! The error object of a response (§5.1).

use super::members::{self, Member};
use super::reason::Reason;
use super::token::{Decimal, unescape};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::fmt;

/// The error object of a failed call (§5.1).
///
/// A method may return it as its error: with a code of the application, which lies outside -32768 to -32000,
/// or with a predefined code, for example to reject its params.
///
/// ```
/// use rpc_core::wire::ErrorObject;
///
/// let error = ErrorObject::new(1001, "division by zero").with_data(&[1, 2]);
/// assert_eq!(serde_json::to_string(&error)?, r#"{"code":1001,"message":"division by zero","data":[1,2]}"#);
/// assert_eq!(ErrorObject::invalid_params("`b` must be even").code, -32602);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ErrorObject {
    /// The kind of the error.
    pub code: i64,
    /// A short description for people. Empty if the peer sent none.
    pub message: Cow<'static, str>,
    /// Further information, in any shape that the sender chooses.
    pub data: Option<Box<RawValue>>,
}

impl ErrorObject {
    /// The message is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a valid request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The params do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The server failed, and the details stay with it.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// The server refuses the call for a reason of its own, such as a limit.
    pub const SERVER_ERROR: i64 = -32000;

    /// Creates an error without data.
    #[must_use]
    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        ErrorObject { code, message: message.into(), data: None }
    }

    /// Sets the data. If `data` cannot be serialized, the error has none.
    #[must_use]
    pub fn with_data<T: Serialize + ?Sized>(mut self, data: &T) -> Self {
        self.data = to_raw_value(data).ok();
        self
    }

    /// Creates the error -32700 (parse error).
    #[must_use]
    pub fn parse_error() -> Self {
        Self::new(Self::PARSE_ERROR, "Parse error")
    }

    /// Creates the error -32600 (invalid request), with `reason` as its data.
    #[must_use]
    pub fn invalid_request(reason: &str) -> Self {
        Self::new(Self::INVALID_REQUEST, "Invalid Request").with_data(reason)
    }

    /// Creates the error -32601 (method not found).
    #[must_use]
    pub fn method_not_found() -> Self {
        Self::new(Self::METHOD_NOT_FOUND, "Method not found")
    }

    /// Creates the error -32602 (invalid params), with `reason` as its data.
    #[must_use]
    pub fn invalid_params(reason: &str) -> Self {
        Self::invalid_params_with(reason)
    }

    /// Creates the error -32602, with data of any shape.
    pub(crate) fn invalid_params_with<T: Serialize + ?Sized>(data: &T) -> Self {
        Self::new(Self::INVALID_PARAMS, "Invalid params").with_data(data)
    }

    /// Creates the error -32603 (internal error), without details.
    #[must_use]
    pub fn internal_error() -> Self {
        Self::new(Self::INTERNAL_ERROR, "Internal error")
    }

    /// Reads an error object from a peer. It is lenient: a missing message is read as an empty one, and the
    /// code may be spelled `-32000.0`.
    pub(super) fn from_value(value: &RawValue) -> Result<Self, Reason> {
        let (mut code, mut message, mut data) = (Member::Absent, Member::Absent, Member::Absent);
        let read = members::read(value.get(), |name, value| match unescape(name).as_deref() {
            Some("code") => code.add(value),
            Some("message") => message.add(value),
            Some("data") => data.add(value),
            _ => {}
        });
        read.map_err(|_| Reason::ErrorNotObject)?;
        if code.is_repeated() || message.is_repeated() || data.is_repeated() {
            return Err(Reason::ResponseMemberRepeated);
        }
        let message = match message.once().map(RawValue::get) {
            None | Some("null") => Cow::Borrowed(""),
            Some(token) if token.starts_with('"') => {
                Cow::Owned(unescape(token).ok_or(Reason::ErrorMessageUnreadable)?.into_owned())
            }
            Some(_) => return Err(Reason::ErrorMessageUnreadable),
        };
        let code = code
            .once()
            .map(RawValue::get)
            .filter(|token| token.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']));
        let code =
            code.and_then(Decimal::parse).and_then(|number| number.integer()).ok_or(Reason::ErrorCodeNotInteger)?;
        Ok(ErrorObject { code, message, data: data.once().map(ToOwned::to_owned) })
    }
}

impl Reason {
    /// Returns the error object that a server responds with to such a message.
    #[must_use]
    pub fn to_error(self) -> ErrorObject {
        match self {
            Reason::NotJson => ErrorObject::parse_error(),
            Reason::NotUtf8 | Reason::TooDeep => ErrorObject::parse_error().with_data(&self.to_string()),
            // No method has a name that a Rust string cannot hold.
            Reason::MethodUnreadable => ErrorObject::method_not_found(),
            _ => ErrorObject::invalid_request(&self.to_string()),
        }
    }
}

/// Compares `data` as JSON text, not as values.
impl PartialEq for ErrorObject {
    fn eq(&self, other: &Self) -> bool {
        let data = |error: &Self| error.data.as_ref().map(|data| data.get().to_owned());
        self.code == other.code && self.message == other.message && data(self) == data(other)
    }
}
impl Eq for ErrorObject {}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.message, self.code)?;
        match &self.data {
            Some(data) => write!(f, ": {}", data.get()),
            None => Ok(()),
        }
    }
}
impl std::error::Error for ErrorObject {}

impl Serialize for ErrorObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code)?;
        map.serialize_entry("message", &self.message)?;
        if let Some(data) = &self.data {
            map.serialize_entry("data", data)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ErrorObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Box::<RawValue>::deserialize(deserializer)?;
        ErrorObject::from_value(&value).map_err(serde::de::Error::custom)
    }
}
