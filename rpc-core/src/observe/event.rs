//! What happens on the wire, and who sees it.

use crate::error::{DiscardReason, ProtocolError};
use crate::wire::{ErrorObject, Id, Reason};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Sees what crosses the wire on one side, and what stays hidden from the other.
///
/// Any `Fn(&Event)` is one; [`WireLog`](super::WireLog) writes readable lines. Without an observer
/// nothing is spent on it. It is called where things happen, so it must neither wait nor use what it watches.
///
/// ```
/// use rpc_core::observe::{Event, Observer};
/// use rpc_core::server::{RawCall, Router};
/// use rpc_core::{ErrorObject, Server};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// let responses = Arc::new(AtomicUsize::new(0));
/// let seen = responses.clone();
/// let server = Server::new(Router::builder().build()?).observer(Arc::new(move |event: &Event<'_>| {
///     if let Event::Responded { .. } = event {
///         seen.fetch_add(1, Relaxed);
///     }
/// }));
/// server.handle_blocking(r#"{"jsonrpc":"2.0","method":"nope","id":1}"#);
/// assert_eq!(responses.load(Relaxed), 1);
/// # Ok::<(), rpc_core::server::DuplicateMethod>(())
/// ```
pub trait Observer: Send + Sync + 'static {
    /// Takes note of one event.
    fn observe(&self, event: &Event<'_>);
}

/// Shows an event to whoever watches. A panic of theirs is theirs alone: it changes no answer.
pub(crate) fn show(observer: Option<&dyn Observer>, event: &Event<'_>) {
    if let Some(observer) = observer
        && let Err(payload) = catch_unwind(AssertUnwindSafe(|| observer.observe(event)))
    {
        // The payload may panic itself when it is dropped.
        std::mem::forget(payload);
    }
}

impl<O: Observer + ?Sized> Observer for Arc<O> {
    fn observe(&self, event: &Event<'_>) {
        O::observe(self, event);
    }
}

impl<F: Fn(&Event<'_>) + Send + Sync + 'static> Observer for F {
    fn observe(&self, event: &Event<'_>) {
        self(event);
    }
}

/// One thing that happened.
///
/// Members of a batch are events of their own. `text` is the message (or member) as it crosses.
///
/// ```
/// use rpc_core::observe::Event;
///
/// /// What one would count.
/// fn is_trouble(event: &Event<'_>) -> bool {
///     matches!(event, Event::InternalFailure { .. } | Event::Discarded { .. } | Event::Failed { .. })
/// }
/// assert!(!is_trouble(&Event::NoResponse { method: None, error: None }));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A message was read.
    Received {
        /// What it is.
        kind: MessageKind,
        /// Its id, if exactly one valid id was read.
        id: Option<&'a Id<'a>>,
        /// The method it names, if it could be read.
        method: Option<&'a str>,
        /// What is wrong with it, if something is.
        reason: Option<Reason>,
        /// The message.
        text: &'a [u8],
    },
    /// An answer was made.
    Responded {
        /// The id it carries.
        id: &'a Id<'a>,
        /// The answer.
        text: &'a [u8],
    },
    /// A message is owed no answer.
    NoResponse {
        /// The method that it named.
        method: Option<&'a str>,
        /// The error that it would have been answered with.
        error: Option<&'a ErrorObject>,
    },
    /// Something failed of which the caller is told nothing but "Internal error".
    InternalFailure {
        /// The method that was called.
        method: &'a str,
        /// The id of the call; `None` for a notification.
        id: Option<&'a Id<'a>>,
        /// What kind of failure it was.
        cause: Cause,
        /// All about it.
        detail: &'a str,
    },
    /// A call or a notification was sent.
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
        /// The reply.
        text: &'a [u8],
    },
    /// A call failed.
    Failed {
        /// The id of the call.
        id: u64,
        /// Why.
        failure: Failure<'a>,
        /// The reply.
        text: &'a [u8],
    },
    /// A message that no call can claim was dropped.
    Discarded {
        /// Why.
        reason: &'a DiscardReason<'a>,
        /// The message.
        text: &'a [u8],
    },
}

/// What a message that was read is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageKind {
    /// A request that owes an answer.
    Request,
    /// A request without an id.
    Notification,
    /// An answer, valid or not.
    Response,
    /// JSON, but none of these.
    Invalid,
    /// Not JSON, or refused unread for a limit.
    Unreadable,
}

/// Why the caller was told "Internal error".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The method, or the reading of its parameters, panicked.
    Panic,
    /// The method returned an error that says nothing to its caller, such as `Internal`.
    Error,
    /// The result cannot be serialised.
    Result,
}

/// Why a call failed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Failure<'a> {
    /// It was answered with an error.
    Error(&'a ErrorObject),
    /// Its reply cannot be understood.
    Unreadable(&'a ProtocolError),
}
