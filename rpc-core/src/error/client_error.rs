//! The failures of a call that no method causes.

use super::close_reason::CloseReason;
use super::protocol_error::ProtocolError;
use crate::wire::ErrorObject;
use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// A failure of a call that is not the method's own error: it timed out, the connection closed, the peer does
/// not serve the method.
///
/// Calls of methods that declare no error, notifications and batches as a whole fail with it. A call of a
/// method that declares an error `E` fails with [`CallError<E>`](super::CallError), and `?` converts this
/// error into that one.
///
/// ```
/// use rpc_core::mock::Mock;
/// use rpc_core::{CallError, ClientError, ErrorObject, block_on, rpc};
///
/// #[rpc]
/// trait Store {
///     async fn size(&self) -> u64;
///     async fn take(&self, count: u64) -> Result<u64, ErrorObject>;
/// }
///
/// async fn take_all(store: &StoreClient<Mock>) -> Result<u64, CallError<ErrorObject>> {
///     let size = store.size().await?; // fails with `ClientError`
///     Ok(store.take(size).await?) // fails with `CallError<ErrorObject>`
/// }
///
/// let store = StoreClient::new(Mock::new().on("size", |_| Ok(7)));
/// let error = block_on(take_all(&store)).unwrap_err();
/// assert!(matches!(error, CallError::Client(ClientError::Rpc(_)) | CallError::Method(_)));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The peer responded with an error object that is not the method's own error, such as "Method not
    /// found".
    Rpc(ErrorObject),
    /// The response is not valid.
    Protocol(ProtocolError),
    /// The params cannot be serialized, or serialize to neither an array nor an object. Nothing was sent.
    Encode(serde_json::Error),
    /// The call was not sent, for this reason. Trying again is safe.
    NotSent(Cow<'static, str>),
    /// The caller does not support the call, for this reason. Nothing was sent, and trying again does not
    /// help.
    Unsupported(Cow<'static, str>),
    /// The timeout elapsed before the response arrived.
    Timeout,
    /// The connection closed before the response arrived, for this reason.
    Closed(CloseReason),
}

impl From<ErrorObject> for ClientError {
    /// Returns [`ClientError::Rpc`].
    fn from(object: ErrorObject) -> Self {
        ClientError::Rpc(object)
    }
}

/// Forwards an error object of the peer. Any other failure becomes "Internal error" (-32603), without
/// details.
///
/// ```
/// use rpc_core::{ClientError, ErrorObject};
///
/// let full = ErrorObject::new(7, "full");
/// assert_eq!(ErrorObject::from(ClientError::Rpc(full.clone())), full);
/// assert_eq!(ErrorObject::from(ClientError::Timeout), ErrorObject::internal_error());
/// ```
impl From<ClientError> for ErrorObject {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Rpc(object) => object,
            _ => ErrorObject::internal_error(),
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Rpc(object) => object.fmt(f),
            ClientError::Protocol(error) => error.fmt(f),
            ClientError::Encode(error) => write!(f, "the params cannot be serialized: {error}"),
            ClientError::NotSent(reason) | ClientError::Unsupported(reason) => {
                write!(f, "the call was not sent: {reason}")
            }
            ClientError::Timeout => f.write_str("the call timed out"),
            ClientError::Closed(reason) => write!(f, "the connection closed: {reason}"),
        }
    }
}

impl Error for ClientError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ClientError::Encode(error) => Some(error),
            _ => None,
        }
    }
}
