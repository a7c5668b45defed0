//! A live connection: both sides serve and call over one transport.

mod builder;
mod ends;
mod inbox;
mod run;
mod sort;

pub use crate::client::CloseReason;
pub use crate::peer::{Peer, PeerReply, PeerSent};
pub use crate::profile::{Cancel, Profile};
pub use builder::{Builder, Connection};
