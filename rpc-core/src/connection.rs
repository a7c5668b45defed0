#![doc = include_str!("connection/ordering.md")]

mod builder;
mod config;
#[allow(clippy::module_inception, reason = "the file is called after `Connection`")]
mod connection;
mod halves;
mod inbox;
mod incoming_calls;
mod route;
mod shutdown;

pub use crate::connection_id::ConnectionId;
pub use crate::error::CloseReason;
pub use crate::peer::{Peer, PeerResponseFuture, PeerSendFuture};
pub use builder::Builder;
pub use connection::Connection;
