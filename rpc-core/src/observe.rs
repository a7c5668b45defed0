//! Observers of the messages on the wire: logs, metrics and tests.
//!
//! [`WireLog`] writes one readable line for each [`Event`]; any `Fn(&Event<'_>)` is an [`Observer`], too. Set one with
//! [`Server::observer`](crate::Server::observer) or, for a client, with
//! [`Builder::observer`](crate::connection::Builder::observer).

mod event;
mod observer;
mod wire_log;

pub use event::{Cause, Event, EventKind, Failure, MessageKind};
pub use observer::Observer;
pub use wire_log::WireLog;

pub(crate) use observer::ObserverRef;
