//! Types said one by one where the user wrote them, so that the compiler underlines the one that does
//! not fit.

use super::bad_params::BadParams;
use super::decode::{Signature, decode, decode_flat};
use serde::de::{Deserialize, DeserializeOwned};
use std::fmt;
use std::marker::PhantomData;

/// The type of one argument.
pub struct TypeOf<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for TypeOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Is")
    }
}

/// Says the type of one argument.
#[must_use]
pub const fn type_of<T>() -> TypeOf<T> {
    TypeOf(PhantomData)
}

/// The types of all arguments of a method, which together are `T`.
pub trait TypesOf<'de, T> {
    /// As `decode`.
    ///
    /// # Errors
    ///
    /// [`BadParams`] when the params do not fit.
    fn decode_all<C>(
        signature: &Signature,
        text: &'de str,
        call: &mut Option<C>,
        make: impl FnOnce(T) -> C,
    ) -> Result<usize, BadParams>;
}

macro_rules! tuples {
    ($(($($type:ident),*))*) => {$(
        impl<'de, $($type: Deserialize<'de>),*> TypesOf<'de, ($($type,)*)> for ($(TypeOf<$type>,)*) {
            #[inline]
            fn decode_all<Made>(
                signature: &Signature,
                text: &'de str,
                call: &mut Option<Made>,
                make: impl FnOnce(($($type,)*)) -> Made,
            ) -> Result<usize, BadParams> {
                decode(signature, text, call, make)
            }
        }
    )*};
}
tuples! {
    ()
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
    (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H)
    (A, B, C, D, E, F, G, H, I)
    (A, B, C, D, E, F, G, H, I, J)
    (A, B, C, D, E, F, G, H, I, J, K)
    (A, B, C, D, E, F, G, H, I, J, K, L)
}

/// As `decode`, for arguments of types that are said.
///
/// # Errors
///
/// [`BadParams`] when the params do not fit.
#[inline]
pub fn decode_each<'de, T, C, A: TypesOf<'de, T>>(
    signature: &Signature,
    text: &'de str,
    call: &mut Option<C>,
    _: A,
    make: impl FnOnce(T) -> C,
) -> Result<usize, BadParams> {
    A::decode_all(signature, text, call, make)
}

/// As `decode_flat`, for an argument of a type that is said.
///
/// # Errors
///
/// [`BadParams`] when the params do not fit.
#[inline]
pub fn decode_whole<'de, T: Deserialize<'de>, C>(
    text: &'de str,
    call: &mut Option<C>,
    _: TypeOf<T>,
    make: impl FnOnce((T,)) -> C,
) -> Result<usize, BadParams> {
    decode_flat(text, call, make)
}

/// Says that a client can read a result.
pub const fn assert_deserialize<T: DeserializeOwned>() {}

/// Says that an argument can be given to a call that runs on any thread.
pub const fn assert_send<T: Send + ?Sized>() {}
