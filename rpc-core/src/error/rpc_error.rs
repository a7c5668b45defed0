//! The bound on what a method may return as its error, and the questions generated code asks about
//! a return type.

use crate::wire::ErrorObject;
use std::convert::Infallible;
use std::marker::PhantomData;

/// An error that a method returns and its caller gets back.
///
/// [`ErrorObject`], [`Internal`](super::Internal) and [`Infallible`] are such errors; for an enum of
/// your own, derive it: [`derive@RpcError`](derive@crate::RpcError). Or say yourself how it crosses the wire.
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
    /// The error object that the caller is sent.
    fn into_object(self) -> ErrorObject;

    /// The error that an error object stands for.
    ///
    /// # Errors
    ///
    /// The object itself, when it stands for none of these: the caller then gets it as
    /// [`CallError::Rpc`](super::CallError::Rpc).
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject>;

    /// What an [`Observer`](crate::observe::Observer) should know and the caller must not.
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

/// The parts of a return type that is a `Result`, under whatever name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `Result`",
    label = "expected a `Result`",
    note = "a type named `…Result<…>` counts as a `Result`; write `#[rpc(infallible)]`, or remove `fallible`"
)]
pub trait ResultType {
    /// The result of success.
    type Ok;
    /// The error.
    type Err;

    /// The same, under its own name.
    ///
    /// # Errors
    ///
    /// When it is one.
    fn into_result(self) -> Result<Self::Ok, Self::Err>;

    /// The same, under this name.
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

/// Whether a type is a `Result`, asked in a constant: an inherent constant is found before one of
/// the trait [`NotResult`].
#[derive(Debug)]
pub struct IsFallible<T: ?Sized>(PhantomData<T>);

/// The answer for all other types.
pub trait NotResult {
    /// Not a `Result`.
    const ANSWER: bool = false;
}
impl<T: ?Sized> NotResult for IsFallible<T> {}
impl<T, E> IsFallible<Result<T, E>> {
    /// A `Result`.
    pub const ANSWER: bool = true;
}
