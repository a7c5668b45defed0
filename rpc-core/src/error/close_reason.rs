//! The reasons for which a connection ends.

use std::borrow::Cow;
use std::{fmt, io};

/// The reason for which a connection has ended: the output of [`Connection::run`](crate::connection::Connection::run),
/// and the error of its pending calls.
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
    /// The peer closed it: the input has ended.
    ByPeer,
    /// This side shut it down.
    ByUs,
    /// The transport failed.
    Failed {
        /// The kind of the I/O error.
        kind: io::ErrorKind,
        /// The message of the I/O error.
        message: String,
    },
    /// The peer sent more notifications than can be queued.
    Flooded,
    /// The peer sends calls but does not read the responses.
    NotRead,
    /// No message arrived within the idle timeout, and no call was pending.
    Idle,
    /// The connection was dropped before its end.
    Dropped,
    /// Another reason, as text.
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
            CloseReason::ByPeer => f.write_str("closed by the peer"),
            CloseReason::ByUs => f.write_str("closed by this side"),
            CloseReason::Failed { message, .. } => write!(f, "the transport failed: {message}"),
            CloseReason::Flooded => f.write_str("the peer sent more notifications than can be queued"),
            CloseReason::NotRead => f.write_str("the peer does not read its responses"),
            CloseReason::Idle => f.write_str("idle for too long"),
            CloseReason::Dropped => f.write_str("the connection was dropped"),
            CloseReason::Other(reason) => f.write_str(reason),
        }
    }
}
