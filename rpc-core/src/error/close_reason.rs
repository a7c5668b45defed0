//! The reason for the end of a connection.

use std::borrow::Cow;
use std::{fmt, io};

/// The reason for the end of a connection. [`Connection::run`](crate::connection::Connection::run) returns
/// it, and calls that have no response by then fail with it.
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
    /// The peer closed the connection, or its output.
    ByPeer,
    /// This side shut the connection down.
    ByUs,
    /// Reading or writing failed.
    Failed {
        /// The kind of the I/O error.
        kind: io::ErrorKind,
        /// The text of the I/O error.
        message: String,
    },
    /// A notification arrived while the queue was full, see
    /// [`max_queued`](crate::connection::Builder::max_queued).
    Flooded,
    /// The peer sends calls but does not read the responses.
    NotRead,
    /// No message arrived within the [idle timeout](crate::connection::Builder::idle_timeout), and no call
    /// was pending.
    Idle,
    /// The [`Connection`](crate::connection::Connection), or its `run` future, was dropped before its end.
    Dropped,
    /// Another reason.
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
            CloseReason::ByPeer => f.write_str("the peer disconnected"),
            CloseReason::ByUs => f.write_str("this side shut it down"),
            CloseReason::Failed { message, .. } => write!(f, "transport error: {message}"),
            CloseReason::Flooded => f.write_str("too many notifications are queued"),
            CloseReason::NotRead => f.write_str("the peer does not read its input"),
            CloseReason::Idle => f.write_str("no message arrived within the idle timeout"),
            CloseReason::Dropped => f.write_str("the connection was dropped"),
            CloseReason::Other(reason) => f.write_str(reason),
        }
    }
}
