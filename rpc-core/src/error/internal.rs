//! The error that tells its caller nothing.

use super::rpc_error::RpcError;
use crate::wire::ErrorObject;
use std::error::Error;
use std::fmt;

/// Any error at all, of which the caller sees only -32603 "Internal error".
///
/// `?` turns every error into it. The caller gets the answer as
/// [`CallError::Rpc`](super::CallError::Rpc).
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
    /// What went wrong, for a log of the server's.
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
    /// The error with all its sources.
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
