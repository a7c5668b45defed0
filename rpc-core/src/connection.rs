#![doc = include_str!("connection/ordering.md")]

mod builder;
mod calls;
mod ending;
mod ends;
mod inbox;
mod run;
mod sort;

pub use crate::client::CloseReason;
pub use crate::in_process::InProcess;
pub use crate::peer::{Peer, PeerReply, PeerSent};
pub use crate::profile::{Cancel, LongBatch, Profile, Refusal};
pub use builder::{Builder, Connection};
