#![doc = include_str!("connection/ordering.md")]

mod builder;
mod halves;
mod inbox;
mod incoming_calls;
mod route;
mod run;
mod shutdown;

pub use crate::client::CloseReason;
pub use crate::in_process::InProcess;
pub use crate::peer::{Peer, PeerResponseFuture, PeerSendFuture};
pub use crate::profile::{Cancel, LongBatch, Profile, Refusal};
pub use builder::{Builder, Connection};
