//! The calling side: calls as values, what carries them, and pairing without I/O.
//!
//! A method of a generated client gives a [`Call`]: a message that is written, and not yet sent. One call,
//! five ways to use it, each shown with its text at [`Call`]:
//!
//! | written | on the wire | gives |
//! |---|---|---|
//! | `calc.add(1, 2).await` | a request | `Result<i64, CallError>` |
//! | `calc.add(1, 2).timeout(second).await` | a request | the same, or `CallError::Timeout` in time |
//! | `calc.add(1, 2).id("order-7").await` | a request under this id | the same |
//! | `calc.batch((calc.add(1, 2), calc.name())).await` | one array | one result for each, of its own type |
//! | `calc.add(1, 2).notify().await` | a notification | `Result<(), CallError>`: no reply comes |
//!
//! A [`Caller`] carries calls, and callers go around callers: [`Timed`] gives calls up in time, [`Retry`]
//! makes them again, a [`Mock`](crate::mock::Mock) answers by itself. [`Calls`] is the client without I/O, for
//! programs that move the messages themselves.

mod as_trait;
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
mod received;
mod reply;
mod retry;
mod state;
mod timed;
mod written;

pub use crate::error::{CloseReason, DropReason, ProtocolError};
#[cfg(feature = "tokio")]
pub use crate::timer::TokioTimer;
pub use crate::timer::{ManualTimer, ThreadTimer, Timer};
#[doc(hidden)]
pub use as_trait::{answered, told};
pub use batch::{Batch, BatchFuture};
pub use call::{Call, CallFuture};
pub use caller::{BoxFuture, Caller};
pub use calls::Calls;
pub(crate) use claim::Claim;
pub use members::{Member, Members};
pub use notify::{Notify, NotifyFuture};
pub use outgoing::Outgoing;
pub use outgoing_batch::{OutgoingBatch, Replies, SentBatch};
pub use received::Received;
pub use retry::Retry;
pub use timed::{Timed, Within};
#[doc(hidden)]
pub use written::{call, notify};
