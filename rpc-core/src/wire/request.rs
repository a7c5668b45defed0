//! Requests and notifications (§4), parsed from a message or built to be serialized.

use super::id::Id;
use super::version::VERSION;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A request with an id (§4). The server must respond to it.
///
/// ```
/// use rpc_core::wire::{Id, Request};
///
/// let request = Request { method: "ping".into(), params: None, id: Id::from(1) };
/// assert_eq!(serde_json::to_string(&request)?, r#"{"jsonrpc":"2.0","method":"ping","id":1}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The name of the method.
    pub method: Cow<'a, str>,
    /// The params: an array or an object. `None` if they are absent or null.
    pub params: Option<&'a RawValue>,
    /// The id, which the response repeats.
    pub id: Id<'a>,
}

/// A request without an id (§4.1). The server must not respond to it.
///
/// ```
/// use rpc_core::wire::Notification;
///
/// let notification = Notification { method: "changed".into(), params: None };
/// assert_eq!(serde_json::to_string(&notification)?, r#"{"jsonrpc":"2.0","method":"changed"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Notification<'a> {
    /// The name of the method.
    pub method: Cow<'a, str>,
    /// The params: an array or an object. `None` if they are absent or null.
    pub params: Option<&'a RawValue>,
}

impl Serialize for Request<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.method, self.params, Some(&self.id), serializer)
    }
}

impl Serialize for Notification<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.method, self.params, None, serializer)
    }
}

fn serialize<S: Serializer>(
    method: &str,
    params: Option<&RawValue>,
    id: Option<&Id<'_>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("jsonrpc", VERSION)?;
    map.serialize_entry("method", method)?;
    if let Some(params) = params {
        map.serialize_entry("params", params)?;
    }
    // SPEC §4: a request without an `id` member is a notification; one with the id null is not.
    if let Some(id) = id {
        map.serialize_entry("id", id)?;
    }
    map.end()
}
