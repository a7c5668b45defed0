//! From the text of a reply to what the caller gets.

use crate::error::{CallError, ProtocolError, RpcError};
use crate::wire::Message;
use serde::de::DeserializeOwned;

/// Reads the reply to a call whose result is a `T` and whose error is an `E`.
pub(super) fn read<T: DeserializeOwned, E: RpcError>(text: &str) -> Result<T, CallError<E>> {
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
