//! The events of received messages.

use crate::error::{DiscardReason, ProtocolError};
use crate::wire::{ErrorObject, Message, Notification, Reason, Request, Response};
use serde_json::value::RawValue;

/// The event of a received message, returned by [`PendingCalls::receive`](super::PendingCalls::receive).
///
/// ```
/// use rpc_core::client::{PendingCalls, Received};
///
/// let events = PendingCalls::new().receive(br#"{"jsonrpc":"2.0","result":1,"id":99}"#);
/// let [Received::Discarded(reason)] = &events[..] else { panic!() };
/// assert_eq!(reason.to_string(), "no pending call has the id 99");
/// ```
#[derive(Debug)]
pub enum Received<'m> {
    /// The response to a call, which is no longer pending.
    Response {
        /// The id of the call.
        id: u64,
        /// The result, or the error object.
        outcome: Result<&'m RawValue, ErrorObject>,
    },
    /// An invalid response to a call, which is no longer pending.
    Failed {
        /// The id of the call.
        id: u64,
        /// The fault of the response.
        error: ProtocolError,
    },
    /// A call of the peer.
    Request(Request<'m>),
    /// A notification of the peer.
    Notification(Notification<'m>),
    /// A message that belongs to no call. All calls stay pending.
    Discarded(DiscardReason<'m>),
}

/// Adds the events of a message: one for each call that it belongs to, or one if it belongs to none.
pub(super) fn deliver<'m>(
    message: Message<'m>,
    text: &[u8],
    ids: impl ExactSizeIterator<Item = u64>,
    received: &mut Vec<Received<'m>>,
) {
    if ids.len() == 0 {
        received.push(unpaired(message));
        return;
    }
    for id in ids {
        received.push(match &message {
            Message::Response(response) => Received::Response { id, outcome: response.outcome.clone() },
            Message::Invalid(invalid) => failed(id, invalid.reason, text),
            Message::Request(_) | Message::Notification(_) => continue,
        });
    }
}

/// Returns the event of a message that belongs to no call.
fn unpaired(message: Message<'_>) -> Received<'_> {
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
