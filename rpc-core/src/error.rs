//! The errors that methods return, and the failures of calls.
//!
//! | type | returned by |
//! |---|---|
//! | [`ErrorObject`], [`Internal`], an enum that derives [`RpcError`] | methods of a service |
//! | [`CallError<E>`] | a call of a method that declares the error `E` |
//! | [`ClientError`] | a call of any other method, a notification, a batch |
//! | [`CloseReason`] | a connection that ends |

mod call_error;
mod client_error;
mod close_reason;
pub(crate) mod data;
mod discard_reason;
mod internal;
mod protocol_error;
pub(crate) mod rpc_error;

pub use crate::wire::ErrorObject;
pub use call_error::{CallError, NoMethodError};
pub use client_error::ClientError;
pub use close_reason::CloseReason;
pub use discard_reason::DiscardReason;
pub use internal::Internal;
pub use protocol_error::ProtocolError;
pub use rpc_error::RpcError;
