//! The events that observers are shown.

use crate::connection_id::ConnectionId;
use crate::error::{DiscardReason, ProtocolError};
use crate::wire::{ErrorObject, Id, Reason};

/// An event on the wire, with its connection.
///
/// ```
/// use rpc_core::observe::{Event, EventKind};
///
/// /// Counts the events that need attention, by connection.
/// fn observe(event: &Event<'_>) {
///     if let EventKind::InternalFailure { method, detail, .. } = event.kind {
///         let connection = event.connection.map_or("none".to_owned(), |id| id.to_string());
///         eprintln!("connection {connection}: `{method}` failed: {detail}");
///     }
/// }
/// # rpc_core::Server::new(()).observer(observe);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The connection, as in [`Peer::id`](crate::connection::Peer::id); `None` for a message that did
    /// not arrive over one, as in [`Server::handle`](crate::Server::handle).
    pub connection: Option<ConnectionId>,
    /// The kind of event, with its data.
    pub kind: EventKind<'a>,
}

/// The kind of an [`Event`], where the example is.
///
/// Each member of a batch is an event of its own. `text` is the message, or the member, as it is on the wire.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// A message was received.
    Received {
        /// The kind of message.
        kind: MessageKind,
        /// Its id, if it has exactly one valid id.
        id: Option<&'a Id<'a>>,
        /// Its method, if it has a valid one.
        method: Option<&'a str>,
        /// The fault of an invalid message.
        reason: Option<Reason>,
        /// The message.
        text: &'a [u8],
    },
    /// A response was made.
    Responded {
        /// Its id.
        id: &'a Id<'a>,
        /// The response.
        text: &'a [u8],
    },
    /// A message that gets no response was processed.
    NoResponse {
        /// Its method.
        method: Option<&'a str>,
        /// The error that a call would have got.
        error: Option<&'a ErrorObject>,
    },
    /// A call failed, and the peer got only "Internal error".
    InternalFailure {
        /// The method.
        method: &'a str,
        /// The id of the call; `None` for a notification.
        id: Option<&'a Id<'a>>,
        /// The cause.
        cause: Cause,
        /// The message of the panic or error.
        detail: &'a str,
    },
    /// A call or notification was sent.
    Sent {
        /// The id of the call; `None` for a notification.
        id: Option<u64>,
        /// The message.
        text: &'a [u8],
    },
    /// A call got its result.
    Completed {
        /// The id of the call.
        id: u64,
        /// The response.
        text: &'a [u8],
    },
    /// A call failed.
    Failed {
        /// The id of the call.
        id: u64,
        /// The failure.
        failure: Failure<'a>,
        /// The response.
        text: &'a [u8],
    },
    /// A message was discarded: an invalid one, or a response to no pending call.
    Discarded {
        /// The reason.
        reason: &'a DiscardReason<'a>,
        /// The message.
        text: &'a [u8],
    },
}

/// The kind of a received message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageKind {
    /// A request with an id.
    Request,
    /// A request without an id.
    Notification,
    /// A response, valid or not.
    Response,
    /// Any other JSON.
    Invalid,
    /// Text that is not JSON, or that exceeds a limit.
    Unreadable,
}

/// The cause of an "Internal error".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The method, or the deserialization of its params, panicked.
    Panic,
    /// The method returned an error that hides its message from the peer, such as [`Internal`](crate::Internal).
    Error,
    /// The result cannot be serialized.
    Result,
}

/// The failure of a call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Failure<'a> {
    /// The response has an error.
    Error(&'a ErrorObject),
    /// The response is not valid.
    Unreadable(&'a ProtocolError),
}
