//! The error whose details stay on the server.

use super::rpc_error::RpcError;
use crate::wire::ErrorObject;
use std::error::Error;
use std::fmt;

/// An error whose details stay on the server. The caller gets "Internal error" (-32603), as
/// [`ClientError::Rpc`](super::ClientError::Rpc).
///
/// Every error type converts into it, so methods can use `?`. An [`Observer`](crate::observe::Observer) of
/// the server gets the details.
///
/// ```
/// use rpc_core::{Internal, RpcError};
///
/// fn size(path: &str) -> Result<u64, Internal> {
///     Ok(std::fs::metadata(path)?.len())
/// }
/// let error = size("/no/such/file").unwrap_err();
/// assert!(error.detail().to_string().contains("No such file"));
/// assert_eq!(error.into_object().to_string(), "Internal error (code -32603)");
/// ```
pub struct Internal(Box<dyn Error + Send + Sync>);

impl Internal {
    /// Returns the error, for a log on the server.
    #[must_use]
    pub fn detail(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for Internal {
    fn from(error: E) -> Self {
        Internal(error.into())
    }
}

impl RpcError for Internal {
    fn into_object(self) -> ErrorObject {
        ErrorObject::internal_error()
    }
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> {
        Err(object)
    }
    /// Returns the error and its sources.
    fn concealed(&self) -> Option<String> {
        let mut detail = self.0.to_string();
        let mut source = self.0.source();
        while let Some(error) = source {
            detail = format!("{detail}: {error}");
            source = error.source();
        }
        Some(detail)
    }
}

impl fmt::Debug for Internal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Internal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
