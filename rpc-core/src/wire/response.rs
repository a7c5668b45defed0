//! Responses (§5): the parsed form, and the only functions that serialize one for a server.

use super::error::ErrorObject;
use super::id::Id;
use super::version::VERSION;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The response to a request (§5): a result or an error object.
///
/// ```
/// use rpc_core::wire::{ErrorObject, Id, Response};
///
/// let response = Response { id: Id::from(1), outcome: Err(ErrorObject::method_not_found()) };
/// assert_eq!(
///     serde_json::to_string(&response)?,
///     r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Response<'a> {
    /// The id of the request; null if it could not be read.
    pub id: Id<'a>,
    /// The result or the error object.
    pub outcome: Result<&'a RawValue, ErrorObject>,
}

impl Serialize for Response<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("jsonrpc", VERSION)?;
        match &self.outcome {
            Ok(result) => map.serialize_entry("result", result)?,
            Err(error) => map.serialize_entry("error", error)?,
        }
        map.serialize_entry("id", &self.id)?;
        map.end()
    }
}

/// Appends a response with a result. If the result cannot be serialized, `out` is unchanged.
#[inline]
pub(crate) fn write_result<T: Serialize + ?Sized>(out: &mut Vec<u8>, id: &str, result: &T) -> serde_json::Result<()> {
    let start = out.len();
    // SPEC §5: `result` is required on success, also if it is null.
    out.extend_from_slice(br#"{"jsonrpc":"2.0","result":"#);
    if let Err(error) = serde_json::to_writer(&mut *out, result) {
        out.truncate(start);
        return Err(error);
    }
    write_id(out, id);
    Ok(())
}

/// Appends a response with an error object.
#[cold]
pub(crate) fn write_error(out: &mut Vec<u8>, id: &str, error: &ErrorObject) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","error":"#);
    let start = out.len();
    if write_object(out, error).is_err() {
        // Unreachable: serializing a number and a string does not fail.
        out.truncate(start);
        out.extend_from_slice(br#"{"code":-32603,"message":"Internal error"}"#);
    }
    write_id(out, id);
}

/// Appends the response to a message that is not JSON. It is a constant, so that a flood of such messages
/// costs little.
#[cold]
pub(crate) fn write_parse_error(out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#);
}

/// Appends the same bytes as the `Serialize` of `ErrorObject`, in fewer steps.
fn write_object(out: &mut Vec<u8>, error: &ErrorObject) -> serde_json::Result<()> {
    out.extend_from_slice(br#"{"code":"#);
    serde_json::to_writer(&mut *out, &error.code)?;
    out.extend_from_slice(br#","message":"#);
    serde_json::to_writer(&mut *out, &*error.message)?;
    if let Some(data) = &error.data {
        out.extend_from_slice(br#","data":"#);
        out.extend_from_slice(data.get().as_bytes());
    }
    out.push(b'}');
    Ok(())
}

#[inline]
fn write_id(out: &mut Vec<u8>, id: &str) {
    out.extend_from_slice(br#","id":"#);
    out.extend_from_slice(id.as_bytes());
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::{ErrorObject, Id, Response, write_error, write_parse_error};

    #[test]
    fn the_constant_parse_error_equals_a_serialized_one() {
        let (mut constant, mut serialized) = (vec![], vec![]);
        write_parse_error(&mut constant);
        write_error(&mut serialized, Id::NULL.as_token(), &ErrorObject::parse_error());
        assert_eq!(constant, serialized);
    }

    #[test]
    fn write_error_agrees_with_serialize() {
        for error in
            [ErrorObject::parse_error(), ErrorObject::new(-7, "with \"quotes\" and\nlines").with_data(&["é", "\u{1}"])]
        {
            let mut out = vec![];
            write_error(&mut out, "7", &error);
            let response = Response { id: Id::from(7), outcome: Err(error) };
            assert_eq!(serde_json::to_vec(&response).expect("plain data"), out);
        }
    }
}
