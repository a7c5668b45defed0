//! Calls, notifications and batches, the callers that send them, and the client without I/O.
//!
//! A method of a generated client returns a [`Call`], which is encoded but not sent yet.
//!
//! | code | sends | result |
//! |---|---|---|
//! | `calc.add(1, 2).await` | a request | `Result<i64, ClientError>` |
//! | `calc.divide(1, 2).await` | a request of a method that declares an error | `Result<i64, CallError<DivideError>>` |
//! | `calc.add(1, 2).send()` | a request, at once | a `'static` future of the result, to spawn or join |
//! | `calc.add(1, 2).timeout(second).await` | a request | the same, or [`ClientError::Timeout`] |
//! | `calc.add(1, 2).id("order-7").await` | a request with this id | the same |
//! | `calc.batch((calc.add(1, 2), calc.name())).await` | a batch | an outcome for each member, of its own type |
//! | `calc.add(1, 2).notify().await` | a notification | `Result<(), ClientError>` |
//! | `calc.add(1, 2).wait()` | a request, from code without a runtime | the same |
//!
//! A [`Caller`] sends the messages. A [`Peer`](crate::connection::Peer) sends them over a connection,
//! [`InProcess`] passes them to a server in the same process, and [`Mock`](crate::mock::Mock) responds from a
//! test. [`Timeout`] and [`Retry`] wrap a caller, and [`AnyCaller`] erases its type.
//!
//! [`PendingCalls`] is the client without I/O, for programs that move the messages themselves.
//!
//! [`ClientError::Timeout`]: crate::ClientError::Timeout

mod any_caller;
mod batch_call;
mod call;
mod caller;
pub(crate) mod encoded;
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
pub(crate) mod trait_impl;

pub use crate::error::{CloseReason, DiscardReason, ProtocolError};
pub use crate::in_process::InProcess;

pub use any_caller::AnyCaller;
pub use batch_call::{BatchCall, BatchFuture};
pub use call::{Call, CallFuture};
pub use caller::{BoxFuture, Caller};
pub use members::{Member, Members};
pub use notify_call::{NotifyCall, NotifyFuture};
pub use outgoing::Outgoing;
pub use outgoing_batch::{BatchResponses, OutgoingBatch, SentBatch};
pub use pending_calls::PendingCalls;
pub use received::Received;
pub(crate) use response_target::ResponseTarget;
pub use retry::Retry;
pub use timeout::{Timeout, TimeoutFuture};
