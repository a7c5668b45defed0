//! The response to a call, decoded into the call's result or failure.

use crate::error::{ClientError, ProtocolError};
use crate::wire::{ErrorObject, Message};
use serde::de::{DeserializeOwned, IgnoredAny};

/// Decodes the response to a call.
pub(super) fn decode<T, F>(text: &str) -> Result<T, F>
where
    T: DeserializeOwned,
    F: From<ClientError> + From<ErrorObject>,
{
    match fast(text) {
        Some(result) => Ok(result),
        None => strict(text),
    }
}

/// Decodes a result in the form that most servers write. Returns `None` for any other response.
fn fast<T: DeserializeOwned>(text: &str) -> Option<T> {
    let result = text.strip_prefix(r#"{"jsonrpc":"2.0","result":"#)?;
    let mut deserializer = serde_json::Deserializer::from_str(result);
    let value = T::deserialize(&mut deserializer).ok()?;
    let tail = result.get(deserializer.into_iter::<IgnoredAny>().byte_offset()..)?;
    let id = tail.strip_prefix(r#","id":"#)?.strip_suffix('}')?;
    let is_natural = id.bytes().all(|byte| byte.is_ascii_digit()) && (id == "0" || !id.starts_with('0'));
    (is_natural && !id.is_empty()).then_some(value)
}

fn strict<T, F>(text: &str) -> Result<T, F>
where
    T: DeserializeOwned,
    F: From<ClientError> + From<ErrorObject>,
{
    let invalid = |reason: String| -> F {
        ClientError::Protocol(ProtocolError { reason: reason.into(), text: text.to_owned() }).into()
    };
    match Message::read(text) {
        Message::Response(response) => match response.outcome {
            Ok(result) => serde_json::from_str(result.get())
                .map_err(|error| invalid(format!("the result has another type: {error}"))),
            Err(object) => Err(object.into()),
        },
        Message::Invalid(message) => Err(invalid(message.reason.to_string())),
        Message::Request(_) | Message::Notification(_) => Err(invalid("not a response".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::{fast, strict};
    use crate::error::ClientError;
    use serde_json::Value;

    #[test]
    fn the_fast_decoder_agrees_with_the_strict_one() {
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
                if let Some(result) = fast::<Value>(&response[..end]) {
                    assert_eq!(
                        strict::<Value, ClientError>(&response[..end]).ok(),
                        Some(result),
                        "{}",
                        &response[..end]
                    );
                }
            }
        }
        assert_eq!(fast::<u8>(responses[0]), Some(19));
    }
}
