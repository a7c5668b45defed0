//! A parameter that has a default: it may be absent whatever its type.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// What a parameter with a default is decoded as: `None` when it is absent.
#[derive(Debug)]
pub struct Defaulted<T>(pub Option<T>);

/// The name by which an absent parameter knows that it may be. To other deserializers it is a wrapper
/// of no meaning.
pub(super) const NAME: &str = "$rpc_core::Maybe";

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Defaulted<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Wrapped<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Wrapped<T> {
            type Value = Defaulted<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_none<E: Error>(self) -> Result<Defaulted<T>, E> {
                Ok(Defaulted(None))
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Defaulted<T>, D::Error> {
                T::deserialize(deserializer).map(|value| Defaulted(Some(value)))
            }
        }
        deserializer.deserialize_newtype_struct(NAME, Wrapped(PhantomData))
    }
}
