//! What a received message was: the event that the client without I/O makes of it.

use crate::error::{DiscardReason, ProtocolError};
use crate::wire::{ErrorObject, Message, Notification, Reason, Request, Response};
use serde_json::value::RawValue;

/// What a received message was.
///
/// ```
/// use rpc_core::client::{PendingCalls, Received};
///
/// let events = PendingCalls::new().receive(br#"{"jsonrpc":"2.0","result":1,"id":99}"#);
/// let [Received::Discarded(reason)] = &events[..] else { panic!() };
/// assert_eq!(reason.to_string(), "no call waits under the id 99");
/// ```
#[derive(Debug)]
pub enum Received<'m> {
    /// The answer to a call, which is no longer pending.
    Response {
        /// The id of the call.
        id: u64,
        /// Its result, or the error object.
        outcome: Result<&'m RawValue, ErrorObject>,
    },
    /// A reply that names a call but cannot be understood; the call is no longer pending.
    Failed {
        /// The id of the call.
        id: u64,
        /// What is wrong with the reply.
        error: ProtocolError,
    },
    /// A call from the other side.
    Request(Request<'m>),
    /// A notification from the other side.
    Notification(Notification<'m>),
    /// A message that no call can claim; all calls stay as they are.
    Discarded(DiscardReason<'m>),
}

/// What a message is to the calls that claim it, or to nobody.
pub(super) fn deliver<'m>(
    message: Message<'m>,
    text: &[u8],
    claimed: impl ExactSizeIterator<Item = u64>,
    received: &mut Vec<Received<'m>>,
) {
    if claimed.len() == 0 {
        received.push(unclaimed(message));
        return;
    }
    for id in claimed {
        received.push(match &message {
            Message::Response(response) => Received::Response { id, outcome: response.outcome.clone() },
            Message::Invalid(invalid) => failed(id, invalid.reason, text),
            Message::Request(_) | Message::Notification(_) => continue,
        });
    }
}

/// What a message is that no call of ours can claim.
fn unclaimed(message: Message<'_>) -> Received<'_> {
    match message {
        Message::Request(request) => Received::Request(request),
        Message::Notification(notification) => Received::Notification(notification),
        Message::Response(Response { id, outcome: Err(object) }) if id.is_null() => {
            Received::Discarded(DiscardReason::NullId(object))
        }
        Message::Response(response) => Received::Discarded(DiscardReason::UnknownId(response.id)),
        Message::Invalid(invalid) => Received::Discarded(DiscardReason::Invalid(invalid)),
    }
}

fn failed<'m>(id: u64, reason: Reason, text: &[u8]) -> Received<'m> {
    let text = String::from_utf8_lossy(text).into_owned();
    Received::Failed { id, error: ProtocolError { reason: reason.to_string().into(), text } }
}
