//! The trait of the errors of methods, and the traits by which generated code takes return types apart.

use crate::wire::ErrorObject;
use std::convert::Infallible;
use std::marker::PhantomData;

/// An error that a method returns, and that its caller gets back from the error object.
///
/// [`ErrorObject`], [`Internal`](super::Internal) and [`Infallible`] implement it. Enums
/// [derive it](derive@crate::RpcError). Other types implement both conversions.
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
    /// Returns the error object to send.
    fn into_object(self) -> ErrorObject;

    /// Returns the error that an error object stands for.
    ///
    /// # Errors
    ///
    /// The object itself, if it stands for no error of this type. The caller then gets it as
    /// [`ClientError::Rpc`](super::ClientError::Rpc).
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject>;

    /// Returns details that only an [`Observer`](crate::observe::Observer) of the server gets, `None` by
    /// default.
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

/// The type parameters of a return type that is a `Result` or an alias of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `Result`",
    label = "expected a `Result`",
    note = "a return type with type arguments whose name ends in `Result` counts as a `Result`; \
            write `#[rpc(infallible)]` on the method, or remove `fallible`"
)]
pub trait ResultType {
    /// The success type.
    type Ok;
    /// The error type.
    type Err;

    /// Converts into the `Result`.
    ///
    /// # Errors
    ///
    /// If the value is an `Err`.
    fn into_result(self) -> Result<Self::Ok, Self::Err>;

    /// Converts from the `Result`.
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

/// A test for `Result`: `IsFallible::<T>::VALUE` is `true` if `T` is one. Its inherent constant takes
/// precedence over that of the trait [`NotResult`].
#[derive(Debug)]
pub struct IsFallible<T: ?Sized>(PhantomData<T>);

/// The value of [`IsFallible`] for types other than `Result`.
pub trait NotResult {
    /// `false`.
    const VALUE: bool = false;
}
impl<T: ?Sized> NotResult for IsFallible<T> {}
impl<T, E> IsFallible<Result<T, E>> {
    /// `true`.
    pub const VALUE: bool = true;
}
