//! From the text of a reply to what the caller gets.

use crate::error::{CallError, ProtocolError, RpcError};
use crate::wire::Message;
use serde::de::{DeserializeOwned, IgnoredAny};

/// Reads the reply to a call whose result is a `T` and whose error is an `E`.
pub(super) fn read<T: DeserializeOwned, E: RpcError>(text: &str) -> Result<T, CallError<E>> {
    match fast(text) {
        Some(result) => Ok(result),
        None => strict(text),
    }
}

/// Reads a result as most servers write it, our own among them; `None` for anything else.
fn fast<T: DeserializeOwned>(text: &str) -> Option<T> {
    let result = text.strip_prefix(r#"{"jsonrpc":"2.0","result":"#)?;
    let mut deserializer = serde_json::Deserializer::from_str(result);
    let value = T::deserialize(&mut deserializer).ok()?;
    let tail = result.get(deserializer.into_iter::<IgnoredAny>().byte_offset()..)?;
    let id = tail.strip_prefix(r#","id":"#)?.strip_suffix('}')?;
    let is_natural = id.bytes().all(|byte| byte.is_ascii_digit()) && (id == "0" || !id.starts_with('0'));
    (is_natural && !id.is_empty()).then_some(value)
}

fn strict<T: DeserializeOwned, E: RpcError>(text: &str) -> Result<T, CallError<E>> {
    let unreadable =
        |reason: String| CallError::Protocol(ProtocolError { reason: reason.into(), text: text.to_owned() });
    match Message::read(text) {
        Message::Response(response) => match response.outcome {
            Ok(result) => serde_json::from_str(result.get())
                .map_err(|error| unreadable(format!("the result does not fit: {error}"))),
            Err(object) => Err(CallError::from_object(object)),
        },
        Message::Invalid(invalid) => Err(unreadable(invalid.reason.to_string())),
        Message::Request(_) | Message::Notification(_) => Err(unreadable("not a reply".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::{fast, strict};
    use serde_json::Value;
    use std::convert::Infallible;

    #[test]
    fn what_is_read_quickly_is_read_exactly_so() {
        let responses = [
            r#"{"jsonrpc":"2.0","result":19,"id":1}"#,
            r#"{"jsonrpc":"2.0","result":{"a":[1,"}"]},"id":0}"#,
            r#"{"jsonrpc":"2.0","result":19,"id":1,"id":1}"#,
            r#"{"jsonrpc":"2.0","result":19,"id":01}"#,
            r#"{"jsonrpc":"2.0","result":19,"id":}"#,
            r#"{"jsonrpc":"2.0","result":19 ,"id":1}"#,
            r#"{"jsonrpc":"2.0","result":19,"id":1}}"#,
            r#"{"jsonrpc":"2.0","result":19,"id":"1"}"#,
            r#"{"jsonrpc":"2.0","result":19,"error":null,"id":1}"#,
            r#"{"jsonrpc":"2.0","result":1 9,"id":1}"#,
        ];
        for response in responses {
            for end in (0..=response.len()).filter(|end| response.is_char_boundary(*end)) {
                if let Some(quick) = fast::<Value>(&response[..end]) {
                    assert_eq!(strict::<Value, Infallible>(&response[..end]).ok(), Some(quick), "{}", &response[..end]);
                }
            }
        }
        assert_eq!(fast::<u8>(responses[0]), Some(19));
    }
}
