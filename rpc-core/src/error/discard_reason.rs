//! The reasons for which a received message is discarded.

use crate::wire::{ErrorObject, Id, Invalid};
use std::fmt;

/// The reason for which a received message was discarded.
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
    /// The message is not valid. [`Invalid::to_response`] returns the response to it, if there is one.
    Invalid(Invalid<'m>),
    /// The message is a response whose id is not pending.
    UnknownId(Id<'m>),
    /// The message is an error under the id null, which several pending calls could have caused.
    NullId(ErrorObject),
}

impl fmt::Display for DiscardReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiscardReason::Invalid(invalid) => invalid.reason.fmt(f),
            DiscardReason::UnknownId(id) => write!(f, "no pending call has the id {id}"),
            DiscardReason::NullId(object) => write!(f, "an error without an id: {object}"),
        }
    }
}
