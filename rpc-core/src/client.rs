//! The calling side: calls as values, what carries them, and pairing without I/O.

mod as_trait;
mod call;
mod caller;
mod calls;
mod outgoing;
mod reply;
mod written;

pub use crate::error::DropReason;
#[doc(hidden)]
pub use as_trait::{answered, told};
pub use call::{Call, CallFuture, Notify, NotifyFuture};
pub use caller::{BoxFuture, Caller};
pub use calls::{Calls, Received};
pub use outgoing::Outgoing;
#[doc(hidden)]
pub use written::{call, notify};
