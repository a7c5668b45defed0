//! The values of absent parameters. The type decides, as for a missing field in serde's derive.

use super::defaulted;
use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, Unexpected, Visitor, value::UnitDeserializer};
use serde::forward_to_deserialize_any;
use std::fmt;
use std::marker::PhantomData;

/// Returns the value of an absent parameter: `None` for an `Option`, also under an alias or in a newtype. For
/// any other type it is an error that describes the type.
#[cold]
pub(super) fn value<'de, T: Deserialize<'de>, E: Error>() -> Result<T, E> {
    T::deserialize(Absent(PhantomData))
}

struct Absent<E>(PhantomData<E>);

impl<'de, E: Error> Deserializer<'de> for Absent<E> {
    type Error = E;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        Err(E::invalid_type(Unexpected::Other("nothing"), &visitor))
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_none()
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, E> {
        // A name that starts with `$` marks a private convention. serde_json's `RawValue` is such a newtype;
        // it does not wrap an `Option`.
        match name {
            defaulted::NAME => visitor.visit_none(),
            name if name.starts_with('$') => self.deserialize_any(visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Returns the JSON that absent params are read as if one value is the whole of them: `[]` for a sequence or
/// a tuple, null for an `Option` or a unit, `{}` for any other type.
#[cold]
pub(super) fn flat_params<'de, T: Deserialize<'de>>() -> &'static str {
    let mut text = "{}";
    // Always an error: the probe only records the method that `T` calls.
    let _ = T::deserialize(ShapeProbe(&mut text));
    text
}

/// A deserializer that records the JSON for the shape that a type expects, and yields no value.
struct ShapeProbe<'s>(&'s mut &'static str);

impl ShapeProbe<'_> {
    fn record<T>(self, text: &'static str) -> Result<T, ProbeError> {
        *self.0 = text;
        Err(ProbeError)
    }
}

impl<'de> Deserializer<'de> for ShapeProbe<'_> {
    type Error = ProbeError;
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ProbeError> {
        self.record("{}")
    }
    fn deserialize_seq<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ProbeError> {
        self.record("[]")
    }
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, ProbeError> {
        self.record("[]")
    }
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        _: V,
    ) -> Result<V::Value, ProbeError> {
        self.record("[]")
    }
    fn deserialize_option<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ProbeError> {
        self.record("null")
    }
    fn deserialize_unit<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ProbeError> {
        self.record("null")
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ProbeError> {
        if name.starts_with('$') { self.record("{}") } else { visitor.visit_newtype_struct(self) }
    }
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit_struct
        map struct enum identifier ignored_any
    }
}

#[derive(Debug)]
struct ProbeError;
impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the probe of a shape has no value")
    }
}
impl std::error::Error for ProbeError {}
impl Error for ProbeError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        ProbeError
    }
}
impl IntoDeserializer<'_, ProbeError> for ProbeError {
    type Deserializer = UnitDeserializer<ProbeError>;
    fn into_deserializer(self) -> Self::Deserializer {
        UnitDeserializer::new()
    }
}
