//! Why a call failed: what a method may return, and what its caller gets.

mod call_error;
mod close_reason;
mod data;
mod discard_reason;
mod internal;
mod rpc_error;

pub use call_error::{CallError, ProtocolError};
pub use close_reason::CloseReason;
pub use data::{from_data, from_fields, with_fields};
pub use discard_reason::DiscardReason;
pub use internal::Internal;
pub use rpc_error::RpcError;

pub use rpc_error::{IsFallible, NotResult, ResultType};
