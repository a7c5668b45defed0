//! The other side of a live connection, as a handle that calls it.

mod ended;
mod handle;
mod lent;
mod line;
mod reply;
mod shared;
mod waiting;

pub use handle::Peer;
pub use reply::{PeerReply, PeerSent};

pub(crate) use lent::{Lender, Lent};
pub(crate) use shared::Shared;
