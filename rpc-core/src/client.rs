//! The calling side: calls as values, what carries them, and pairing without I/O.

mod batch;
mod call;
mod caller;
mod calls;
mod claim;
mod members;
mod notify;
mod outgoing;
mod outgoing_batch;
mod patience;
mod reply;
mod retry;
mod state;
mod timed;
mod written;

pub use crate::error::DropReason;
#[cfg(feature = "tokio")]
pub use crate::timer::TokioTimer;
pub use crate::timer::{ManualTimer, Timer};
pub use batch::{Batch, BatchFuture};
pub use call::{Call, CallFuture};
pub use caller::{BoxFuture, Caller};
pub use calls::{Calls, Received};
pub use members::{Member, Members};
pub use notify::{Notify, NotifyFuture};
pub use outgoing::Outgoing;
pub use outgoing_batch::{OutgoingBatch, Replies, SentBatch};
pub use retry::Retry;
pub use timed::{Timed, Within};
#[doc(hidden)]
pub use written::{call, notify};
