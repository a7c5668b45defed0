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
//! A [`Caller`] carries calls, and callers go around callers: [`Timeout`] gives calls up in time, [`Retry`]
//! makes them again, a [`Mock`](crate::mock::Mock) answers by itself. [`PendingCalls`] is the client without I/O, for
//! programs that move the messages themselves.

mod batch_call;
mod call;
mod caller;
mod encoded;
mod members;
mod notify_call;
mod outgoing;
mod outgoing_batch;
mod pending_calls;
mod received;
mod response;
mod response_target;
mod retry;
mod send_state;
mod timeout;
mod timeout_policy;
mod trait_impl;

pub use crate::error::{CloseReason, DiscardReason, ProtocolError};
#[cfg(feature = "tokio")]
pub use crate::time::TokioTimer;
pub use crate::time::{ManualTimer, ThreadTimer, Timer};
pub use batch_call::{BatchCall, BatchFuture};
pub use call::{Call, CallFuture};
pub use caller::{BoxFuture, Caller};
#[doc(hidden)]
pub use encoded::{encode_call, encode_notification};
pub use members::{Member, Members};
pub use notify_call::{NotifyCall, NotifyFuture};
pub use outgoing::Outgoing;
pub use outgoing_batch::{BatchResponses, OutgoingBatch, SentBatch};
pub use pending_calls::PendingCalls;
pub use received::Received;
pub(crate) use response_target::ResponseTarget;
pub use retry::Retry;
pub use timeout::{Timeout, TimeoutFuture};
#[doc(hidden)]
pub use trait_impl::{call_method, send_notification};
