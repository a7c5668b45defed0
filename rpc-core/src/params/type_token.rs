//! Decoding with one token for each argument's type. Generated code places each token at the user's type, so
//! that the compiler underlines the type that does not implement `Deserialize`.

use super::bad_params::BadParams;
use super::decode::{Signature, decode, decode_flat};
use serde::de::{Deserialize, DeserializeOwned};
use std::fmt;
use std::marker::PhantomData;

/// A value that stands for the type of one argument.
pub struct TypeToken<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for TypeToken<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypeToken")
    }
}

/// Creates the token of the type `T`.
#[must_use]
pub const fn type_token<T>() -> TypeToken<T> {
    TypeToken(PhantomData)
}

/// A tuple of tokens, for all arguments of a method. `T` is the tuple of their types.
pub trait TypeTokens<'de, T> {
    /// Decodes params like `decode`.
    ///
    /// # Errors
    ///
    /// [`BadParams`] if the params do not fit.
    fn decode_all<C>(
        signature: &Signature,
        text: &'de str,
        call: &mut Option<C>,
        make: impl FnOnce(T) -> C,
    ) -> Result<usize, BadParams>;
}

macro_rules! tuples {
    ($(($($type:ident),*))*) => {$(
        impl<'de, $($type: Deserialize<'de>),*> TypeTokens<'de, ($($type,)*)> for ($(TypeToken<$type>,)*) {
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

/// Decodes params like `decode`, with a token for each argument.
///
/// # Errors
///
/// [`BadParams`] if the params do not fit.
pub fn decode_typed<'de, T, C, A: TypeTokens<'de, T>>(
    signature: &Signature,
    text: &'de str,
    call: &mut Option<C>,
    _: A,
    make: impl FnOnce(T) -> C,
) -> Result<usize, BadParams> {
    A::decode_all(signature, text, call, make)
}

/// Decodes params like `decode_flat`, with a token for the argument.
///
/// # Errors
///
/// [`BadParams`] if the params do not fit.
pub fn decode_flat_typed<'de, T: Deserialize<'de>, C>(
    text: &'de str,
    call: &mut Option<C>,
    _: TypeToken<T>,
    make: impl FnOnce((T,)) -> C,
) -> Result<usize, BadParams> {
    decode_flat(text, call, make)
}

/// Asserts that a client can decode the result type `T`.
pub const fn assert_deserialize<T: DeserializeOwned>() {}

/// Asserts that an argument of type `T` can be sent to the thread that runs the call.
pub const fn assert_send<T: Send + ?Sized>() {}
