//! Why a connection ended.

use std::borrow::Cow;
use std::{fmt, io};

/// Why a connection ended: the same on both sides of the code, for the loop that ended and for the calls
/// that it left without a reply.
///
/// ```
/// use rpc_core::ClientError;
/// use rpc_core::client::CloseReason;
///
/// fn should_reconnect(error: &ClientError) -> bool {
///     matches!(error, ClientError::Closed(CloseReason::ByPeer | CloseReason::Failed { .. }))
/// }
/// assert!(should_reconnect(&ClientError::Closed(CloseReason::ByPeer)));
/// assert!(!should_reconnect(&ClientError::Closed(CloseReason::ByUs)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// The other side ended it: there was nothing more to read.
    ByPeer,
    /// This side stopped it.
    ByUs,
    /// Reading or writing failed.
    Failed {
        /// What kind of failure.
        kind: io::ErrorKind,
        /// The failure in words.
        message: String,
    },
    /// Notifications came faster than they could be served, and more than may wait.
    Flooded,
    /// The other side asks and does not read what it is answered.
    NotRead,
    /// Nothing came for as long as was allowed, and no call was open.
    Idle,
    /// The loop of the connection was dropped before its end.
    Dropped,
    /// Another reason, in words.
    Other(Cow<'static, str>),
}

impl From<&io::Error> for CloseReason {
    fn from(error: &io::Error) -> Self {
        CloseReason::Failed { kind: error.kind(), message: error.to_string() }
    }
}

impl From<&'static str> for CloseReason {
    fn from(reason: &'static str) -> Self {
        CloseReason::Other(reason.into())
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CloseReason::ByPeer => f.write_str("the other side ended it"),
            CloseReason::ByUs => f.write_str("this side stopped it"),
            CloseReason::Failed { message, .. } => write!(f, "the transport failed: {message}"),
            CloseReason::Flooded => f.write_str("more notifications came than may wait"),
            CloseReason::NotRead => f.write_str("the other side does not read what it is sent"),
            CloseReason::Idle => f.write_str("nothing came for too long"),
            CloseReason::Dropped => f.write_str("its loop was dropped"),
            CloseReason::Other(reason) => f.write_str(reason),
        }
    }
}
