//! The reason for discarding a message.

use crate::wire::{ErrorObject, Id, Invalid};
use std::fmt;

/// The reason for which a message was discarded. No pending call is affected.
///
/// ```
/// use rpc_core::client::DiscardReason;
/// use rpc_core::wire::Id;
///
/// assert_eq!(DiscardReason::UnknownId(Id::from("x")).to_string(), r#"no pending call has the id "x""#);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DiscardReason<'m> {
    /// The message is invalid, and names no pending call. [`Invalid::to_response`] returns the response to
    /// it, if the specification asks for one.
    Invalid(Invalid<'m>),
    /// The message is a response, and no pending call has its id.
    UnknownId(Id<'m>),
    /// The message is an error response under the id null: the peer could not read the id of a request (§5).
    /// The response does not show which request.
    NullId(ErrorObject),
}

impl fmt::Display for DiscardReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiscardReason::Invalid(invalid) => invalid.reason.fmt(f),
            DiscardReason::UnknownId(id) => write!(f, "no pending call has the id {id}"),
            DiscardReason::NullId(object) => write!(f, "an error response under the id null: {object}"),
        }
    }
}
