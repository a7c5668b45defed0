//! Why a message that looked like a reply was dropped.

use crate::wire::{ErrorObject, Id, Invalid};
use std::fmt;

/// Why a message was dropped.
///
/// ```
/// use rpc_core::client::DiscardReason;
/// use rpc_core::wire::Id;
///
/// assert_eq!(DiscardReason::UnknownId(Id::from("x")).to_string(), r#"no call waits under the id "x""#);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DiscardReason<'m> {
    /// It is not JSON, or no message, or a reply that names no call. If the other side is owed an
    /// answer, [`Invalid::to_response`] has it.
    Invalid(Invalid<'m>),
    /// A reply whose id is not pending.
    UnknownId(Id<'m>),
    /// An error under the id null: the other side could not read a message of ours. With one call
    /// pending it can only be that one's; with several nobody can tell.
    NullId(ErrorObject),
}

impl fmt::Display for DiscardReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiscardReason::Invalid(invalid) => invalid.reason.fmt(f),
            DiscardReason::UnknownId(id) => write!(f, "no call waits under the id {id}"),
            DiscardReason::NullId(object) => write!(f, "an error for no call in particular: {object}"),
        }
    }
}
