//! The trait of the errors of methods, and the traits by which generated code inspects a return type.

use crate::wire::ErrorObject;
use std::convert::Infallible;
use std::marker::PhantomData;

/// An error of a method, sent to the client as an error object (§5.1).
///
/// [`ErrorObject`], [`Internal`](super::Internal) and [`Infallible`] implement it. Derive it for an enum of your own with
/// [`derive@RpcError`](derive@crate::RpcError), or implement it by hand:
///
/// ```
/// use rpc_core::{ErrorObject, RpcError};
///
/// #[derive(Debug, PartialEq)]
/// struct Full;
///
/// impl RpcError for Full {
///     fn into_object(self) -> ErrorObject {
///         ErrorObject::new(7, "the store is full")
///     }
///     fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> {
///         if object.code == 7 { Ok(Full) } else { Err(object) }
///     }
/// }
/// assert_eq!(Full::from_object(Full.into_object()), Ok(Full));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of an RPC method",
    label = "this type does not implement `RpcError`",
    note = "derive `RpcError` for an enum, or return `ErrorObject` or `Internal`"
)]
pub trait RpcError: Sized {
    /// Converts the error into the error object that the client gets.
    fn into_object(self) -> ErrorObject;

    /// Converts an error object into the error, on the client.
    ///
    /// # Errors
    ///
    /// Returns the object if it is not such an error. The call then fails with
    /// [`ClientError::Rpc`](super::ClientError::Rpc).
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject>;

    /// Returns details that an [`Observer`](crate::observe::Observer) is shown, and the client is not.
    fn concealed(&self) -> Option<String> {
        None
    }
}

impl RpcError for ErrorObject {
    fn into_object(self) -> ErrorObject {
        self
    }
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> {
        Ok(object)
    }
}

impl RpcError for Infallible {
    fn into_object(self) -> ErrorObject {
        match self {}
    }
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> {
        Err(object)
    }
}

/// A return type that is a `Result`, also under another name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `Result`",
    label = "expected a `Result`",
    note = "a type named `…Result<…>` counts as a `Result`; write `#[rpc(infallible)]`, or remove `fallible`"
)]
pub trait ResultType {
    /// The type of the result.
    type Ok;
    /// The error.
    type Err;

    /// Returns the `Result`.
    ///
    /// # Errors
    ///
    /// Returns the error, if it is one.
    fn into_result(self) -> Result<Self::Ok, Self::Err>;

    /// Converts a `Result` into this type.
    fn from_result(result: Result<Self::Ok, Self::Err>) -> Self;
}
impl<T, E> ResultType for Result<T, E> {
    type Ok = T;
    type Err = E;

    fn into_result(self) -> Result<T, E> {
        self
    }
    fn from_result(result: Result<T, E>) -> Self {
        result
    }
}

/// Tells in a constant if a type is a `Result`: the inherent constant takes precedence over that of [`NotResult`].
#[derive(Debug)]
pub struct IsFallible<T: ?Sized>(PhantomData<T>);

/// The constant of all other types.
pub trait NotResult {
    /// The type is not a `Result`.
    const ANSWER: bool = false;
}
impl<T: ?Sized> NotResult for IsFallible<T> {}
impl<T, E> IsFallible<Result<T, E>> {
    /// The type is a `Result`.
    pub const ANSWER: bool = true;
}
