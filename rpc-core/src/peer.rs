//! Handles to the peer of a live connection, and the state that they share with its loop.

mod blocked_handlers;
mod call_table;
mod closed;
mod futures;
mod keep_alive;
#[allow(clippy::module_inception, reason = "the file is called after `Peer`")]
mod peer;
mod shared;

pub use futures::{PeerResponseFuture, PeerSendFuture};
pub use peer::Peer;

pub(crate) use blocked_handlers::{BlockedHandler, BlockedHandlers};
pub(crate) use shared::{Shared, SharedConfig};
