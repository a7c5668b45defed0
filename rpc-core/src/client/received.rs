//! The events of the client without I/O.

use crate::error::{DiscardReason, ProtocolError};
use crate::wire::{ErrorObject, Message, Notification, Reason, Request, Response};
use serde_json::value::RawValue;

/// A message that [`PendingCalls`](super::PendingCalls) received.
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
        /// The result or the error object.
        outcome: Result<&'m RawValue, ErrorObject>,
    },
    /// An invalid or missing response to a call, which is no longer pending.
    Failed {
        /// The id of the call.
        id: u64,
        /// The fault.
        error: ProtocolError,
    },
    /// A request of the peer.
    Request(Request<'m>),
    /// A notification of the peer.
    Notification(Notification<'m>),
    /// Any other message. All calls stay pending.
    Discarded(DiscardReason<'m>),
}

/// Adds the event of a message for each of the `calls` that it completes, or one event if there are none.
pub(super) fn report<'m>(
    message: Message<'m>,
    text: &[u8],
    calls: impl ExactSizeIterator<Item = u64>,
    received: &mut Vec<Received<'m>>,
) {
    if calls.len() == 0 {
        received.push(without_call(message));
        return;
    }
    for id in calls {
        received.push(match &message {
            Message::Response(response) => Received::Response { id, outcome: response.outcome.clone() },
            Message::Invalid(invalid) => failed(id, invalid.reason, text),
            Message::Request(_) | Message::Notification(_) => continue,
        });
    }
}

/// Returns the event of a message that completes no call.
fn without_call(message: Message<'_>) -> Received<'_> {
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
