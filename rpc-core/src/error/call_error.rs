//! The failure of a call whose method declares an error.

use super::client_error::ClientError;
use super::rpc_error::RpcError;
use crate::wire::ErrorObject;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;

/// A failure of a call: the method's own error `E`, or a [`ClientError`].
///
/// ```
/// use rpc_core::{CallError, ClientError, ErrorObject, RpcError};
///
/// #[derive(RpcError)]
/// enum Refused {
///     #[rpc(code = 1, message = "no")]
///     No,
/// }
///
/// fn advice(error: &CallError<Refused>) -> &'static str {
///     match error {
///         CallError::Method(Refused::No) => "the method refused",
///         CallError::Client(ClientError::Rpc(object)) if object.code == ErrorObject::METHOD_NOT_FOUND => {
///             "an older server"
///         }
///         CallError::Client(ClientError::Timeout | ClientError::Closed(_)) => "try again",
///         CallError::Client(_) => "report it",
///     }
/// }
/// assert_eq!(advice(&ClientError::Timeout.into()), "try again");
/// assert_eq!(advice(&ErrorObject::method_not_found().into()), "an older server");
/// assert_eq!(advice(&ErrorObject::new(1, "").into()), "the method refused");
/// ```
#[derive(Debug)]
pub enum CallError<E> {
    /// The method's own error.
    Method(E),
    /// Any other failure. An error object arrives here, as [`ClientError::Rpc`], if `E` does not take its
    /// code. [`ErrorObject`] and an enum with `#[rpc(other)]` take every code, that of "Method not found"
    /// included.
    Client(ClientError),
}

impl<E> CallError<E> {
    /// Returns the method's own error.
    ///
    /// ```
    /// use rpc_core::{CallError, ClientError, ErrorObject};
    ///
    /// /// The error of a method that calls another one.
    /// fn forward(error: CallError<ErrorObject>) -> ErrorObject {
    ///     error.into_method().unwrap_or_else(|other| ErrorObject::new(1, other.to_string()))
    /// }
    /// assert_eq!(forward(CallError::Method(ErrorObject::new(7, "no"))).code, 7);
    /// assert_eq!(forward(ClientError::Timeout.into()).message, "the call timed out");
    /// ```
    ///
    /// # Errors
    ///
    /// The [`ClientError`], if the failure is not the method's own error.
    pub fn into_method(self) -> Result<E, ClientError> {
        match self {
            CallError::Method(error) => Ok(error),
            CallError::Client(error) => Err(error),
        }
    }
}

impl<E> From<ClientError> for CallError<E> {
    fn from(error: ClientError) -> Self {
        CallError::Client(error)
    }
}

impl<E: NoMethodError> From<CallError<E>> for ClientError {
    fn from(error: CallError<E>) -> Self {
        match error {
            CallError::Method(never) => never.never(),
            CallError::Client(error) => error,
        }
    }
}

/// An error type without values. Its diagnostic explains a `?` that would lose a method's own error.
#[diagnostic::on_unimplemented(
    message = "`?` cannot convert `CallError<{Self}>` to `ClientError`, which cannot hold the method's own error",
    label = "`ClientError` cannot hold the method's own error; return `CallError<{Self}>`, or use `.map_err(…)`",
    note = "return `CallError<{Self}>`, or convert with `.map_err(…)`; `CallError::into_method` separates the two"
)]
pub trait NoMethodError {
    /// Proves that no value exists.
    #[doc(hidden)]
    fn never(self) -> ClientError;
}

impl NoMethodError for Infallible {
    fn never(self) -> ClientError {
        match self {}
    }
}

impl<E: RpcError> From<ErrorObject> for CallError<E> {
    /// Returns the method's own error if `E` takes the object, else [`ClientError::Rpc`].
    fn from(object: ErrorObject) -> Self {
        match E::from_object(object) {
            Ok(error) => CallError::Method(error),
            Err(object) => CallError::Client(ClientError::Rpc(object)),
        }
    }
}

/// Forwards an error object of the peer. Any other failure becomes "Internal error" (-32603), without
/// details: a method that calls another service can use `?`.
///
/// ```
/// use rpc_core::{CallError, ClientError, ErrorObject};
///
/// let full = ErrorObject::new(7, "full");
/// assert_eq!(ErrorObject::from(CallError::Method(full.clone())), full);
/// assert_eq!(ErrorObject::from(CallError::<ErrorObject>::from(ClientError::Timeout)), ErrorObject::internal_error());
/// ```
impl<E: RpcError> From<CallError<E>> for ErrorObject {
    fn from(error: CallError<E>) -> Self {
        match error {
            CallError::Method(error) => error.into_object(),
            CallError::Client(error) => error.into(),
        }
    }
}

impl<E: fmt::Display> fmt::Display for CallError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Method(error) => error.fmt(f),
            CallError::Client(error) => error.fmt(f),
        }
    }
}

// `E` need not be an `Error`: `Internal`, which any error converts into, cannot be one.
impl<E: fmt::Debug + fmt::Display> Error for CallError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            CallError::Method(_) => None,
            CallError::Client(error) => error.source(),
        }
    }
}
