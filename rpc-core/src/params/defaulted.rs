//! Parameters with a default. They may be absent, whatever their type.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// The decoded form of a parameter with a default: `None` if it is absent.
#[derive(Debug)]
pub struct Defaulted<T>(pub Option<T>);

/// The name of the newtype that `Defaulted` deserializes as. The deserializer of absent parameters recognizes
/// it; others treat it as a plain newtype.
pub(super) const NAME: &str = "$rpc_core::Defaulted";

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
