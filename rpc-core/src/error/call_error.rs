//! What the caller gets when a call has no result.

use super::close_reason::CloseReason;
use super::rpc_error::RpcError;
use crate::wire::ErrorObject;
use std::borrow::Cow;
use std::convert::Infallible;
use std::error::Error;
use std::{fmt, io};

/// How a call ended that has no result, `E` being the method's own error.
///
/// Each way to fail is a variant, so that no text needs to be compared.
///
/// ```
/// use rpc_core::{CallError, ErrorObject, RpcError};
///
/// #[derive(RpcError)]
/// enum Refused {
///     #[rpc(code = 1, message = "no")]
///     No,
/// }
///
/// fn advice(error: &CallError<Refused>) -> &'static str {
///     match error {
///         CallError::Method(_) => "the method said no",
///         CallError::Rpc(object) if object.code == ErrorObject::METHOD_NOT_FOUND => "an older server",
///         CallError::Timeout | CallError::Closed(_) => "try again",
///         _ => "report it",
///     }
/// }
/// assert_eq!(advice(&CallError::Timeout), "try again");
/// assert_eq!(advice(&CallError::from_object(ErrorObject::method_not_found())), "an older server");
/// assert_eq!(advice(&CallError::from_object(ErrorObject::new(1, ""))), "the method said no");
/// ```
///
/// A method without an error of its own, and a notification, fail with `CallError<Infallible>`;
/// [`widen`](CallError::widen) makes it any other, for a `?`.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError<E = Infallible> {
    /// The method's own error.
    Method(E),
    /// An error object that `E` does not take. [`ErrorObject`] itself, and an enum with
    /// `#[rpc(other)]`, take every one, "Method not found" included: look at the code in `Method` then.
    Rpc(ErrorObject),
    /// The reply cannot be understood.
    Protocol(ProtocolError),
    /// The params cannot be serialised, or are neither a list nor an object; nothing was sent.
    Encode(serde_json::Error),
    /// The call was not sent, for this reason.
    NotSent(Cow<'static, str>),
    /// The caller cannot carry this, for this reason: nothing was sent, and nothing ever will be.
    Unsupported(Cow<'static, str>),
    /// No reply came in time.
    Timeout,
    /// The call was cancelled.
    Cancelled,
    /// The connection ended, for this reason, before the reply came.
    Closed(CloseReason),
    /// An HTTP response that carries no reply.
    Http {
        /// The status code.
        status: u16,
        /// The first bytes of the body.
        body: String,
    },
    /// Reading or writing failed.
    Transport(io::Error),
}

impl<E: RpcError> CallError<E> {
    /// Sorts an error object: the method's own error, or none of its own.
    #[must_use]
    pub fn from_object(object: ErrorObject) -> Self {
        match E::from_object(object) {
            Ok(error) => CallError::Method(error),
            Err(object) => CallError::Rpc(object),
        }
    }
}

impl<E: RpcError> From<ErrorObject> for CallError<E> {
    /// As [`CallError::from_object`].
    fn from(object: ErrorObject) -> Self {
        CallError::from_object(object)
    }
}

impl<E> CallError<E> {
    /// The method's own error; any other failure as it is, which is no method's. [`widen`](CallError::widen)
    /// is the way back.
    ///
    /// ```
    /// use rpc_core::{CallError, ErrorObject};
    ///
    /// /// What a method returns that calls another one.
    /// fn onward(error: CallError<ErrorObject>) -> ErrorObject {
    ///     error.into_method().unwrap_or_else(|other| ErrorObject::new(1, other.to_string()))
    /// }
    /// assert_eq!(onward(CallError::Method(ErrorObject::new(7, "no"))).code, 7);
    /// assert_eq!(onward(CallError::Timeout).message, "no reply came in time");
    /// ```
    ///
    /// # Errors
    ///
    /// Every failure that is not [`Method`](CallError::Method).
    pub fn into_method(self) -> Result<E, CallError> {
        self.sort()
    }

    /// The method's own error, or the same failure as one of any other method.
    fn sort<F>(self) -> Result<E, CallError<F>> {
        Err(match self {
            CallError::Method(error) => return Ok(error),
            CallError::Rpc(object) => CallError::Rpc(object),
            CallError::Protocol(error) => CallError::Protocol(error),
            CallError::Encode(error) => CallError::Encode(error),
            CallError::NotSent(reason) => CallError::NotSent(reason),
            CallError::Unsupported(reason) => CallError::Unsupported(reason),
            CallError::Timeout => CallError::Timeout,
            CallError::Cancelled => CallError::Cancelled,
            CallError::Closed(reason) => CallError::Closed(reason),
            CallError::Http { status, body } => CallError::Http { status, body },
            CallError::Transport(error) => CallError::Transport(error),
        })
    }
}

impl CallError<Infallible> {
    /// The same failure as one of a method whose own error is `E`.
    #[must_use]
    pub fn widen<E>(self) -> CallError<E> {
        match self.sort() {
            Ok(never) => match never {},
            Err(same) => same,
        }
    }
}

/// What a method answers that calls another service: the other's error objects go on to its own caller,
/// and of any other failure the caller is told nothing.
///
/// ```
/// use rpc_core::{CallError, ErrorObject};
///
/// let full = CallError::from_object(ErrorObject::new(7, "full"));
/// assert_eq!(ErrorObject::from(full as CallError), ErrorObject::new(7, "full"));
/// assert_eq!(ErrorObject::from(CallError::<ErrorObject>::Timeout), ErrorObject::internal_error());
/// ```
impl<E: RpcError> From<CallError<E>> for ErrorObject {
    fn from(error: CallError<E>) -> Self {
        match error {
            CallError::Method(error) => error.into_object(),
            CallError::Rpc(object) => object,
            _ => ErrorObject::internal_error(),
        }
    }
}

impl<E: fmt::Display> fmt::Display for CallError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Method(error) => error.fmt(f),
            CallError::Rpc(object) => object.fmt(f),
            CallError::Protocol(error) => error.fmt(f),
            CallError::Encode(error) => write!(f, "the params cannot be written: {error}"),
            CallError::NotSent(reason) | CallError::Unsupported(reason) => write!(f, "the call was not sent: {reason}"),
            CallError::Timeout => f.write_str("no reply came in time"),
            CallError::Cancelled => f.write_str("the call was cancelled"),
            CallError::Closed(reason) => write!(f, "the connection closed: {reason}"),
            CallError::Http { status, body } => write!(f, "HTTP status {status}: {body}"),
            CallError::Transport(_) => f.write_str("the transport failed"),
        }
    }
}

// The bound is no stricter than it is because `Internal`, like every error that all errors turn
// into, cannot be an `Error` itself.
impl<E: fmt::Debug + fmt::Display> Error for CallError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            CallError::Encode(error) => Some(error),
            CallError::Transport(error) => Some(error),
            _ => None,
        }
    }
}

/// A reply that cannot be understood, with its text.
///
/// ```
/// use rpc_core::client::{PendingCalls, Received};
///
/// let mut calls = PendingCalls::new();
/// let (id, _) = calls.call("ping", &())?;
/// let response = format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#);
/// let events = calls.receive(response.as_bytes());
/// let [Received::Failed { error, .. }] = &events[..] else { panic!() };
/// assert!(error.text.contains("jsonrpc"));
/// # Ok::<(), rpc_core::CallError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProtocolError {
    /// What is wrong with it.
    pub reason: Cow<'static, str>,
    /// The reply as it came.
    pub text: String,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The field keeps all of it.
        let (shown, more) = match self.text.char_indices().nth(200) {
            Some((end, _)) => (&self.text[..end], "…"),
            None => (&*self.text, ""),
        };
        write!(f, "unreadable reply: {}: {shown}{more}", self.reason)
    }
}
impl Error for ProtocolError {}
