//! Detects a value that is `None` by its `Serialize`.

use serde::ser::{Impossible, Serialize, Serializer};
use std::fmt;

/// Returns `true` if `value` serializes as `None`, also under an alias or in a newtype. A null of another
/// type, such as `Value::Null`, is a value.
pub(super) fn is_none<T: Serialize + ?Sized>(value: &T) -> bool {
    value.serialize(Probe).is_ok()
}

/// A serializer that succeeds for `None` only.
struct Probe;

#[derive(Debug)]
struct NotNone;
impl fmt::Display for NotNone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not `None`")
    }
}
impl std::error::Error for NotNone {}
impl serde::ser::Error for NotNone {
    fn custom<T: fmt::Display>(_: T) -> Self {
        NotNone
    }
}

macro_rules! not_none {
    ($($method:ident($($argument:ty),*))*) => {$(
        fn $method(self, $(_: $argument),*) -> Result<(), NotNone> {
            Err(NotNone)
        }
    )*};
}
macro_rules! compounds {
    ($($method:ident($($argument:ty),*) -> $kind:ident)*) => {$(
        type $kind = Impossible<(), NotNone>;
        fn $method(self, $(_: $argument),*) -> Result<Self::$kind, NotNone> {
            Err(NotNone)
        }
    )*};
}

impl Serializer for Probe {
    type Ok = ();
    type Error = NotNone;

    fn serialize_none(self) -> Result<(), NotNone> {
        Ok(())
    }
    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), NotNone> {
        Err(NotNone)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), NotNone> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), NotNone> {
        Err(NotNone)
    }
    not_none! {
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_f32(f32) serialize_f64(f64) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
        serialize_unit() serialize_unit_struct(&'static str) serialize_unit_variant(&'static str, u32, &'static str)
        serialize_i128(i128) serialize_u128(u128)
    }
    compounds! {
        serialize_seq(Option<usize>) -> SerializeSeq
        serialize_tuple(usize) -> SerializeTuple
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant
        serialize_map(Option<usize>) -> SerializeMap
        serialize_struct(&'static str, usize) -> SerializeStruct
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant
    }
    fn collect_str<T: fmt::Display + ?Sized>(self, _: &T) -> Result<(), NotNone> {
        Err(NotNone)
    }
}

#[cfg(test)]
mod tests {
    use super::is_none;

    #[test]
    fn only_none_serializes_as_none() {
        type Alias = Option<u8>;
        assert!(is_none(&None::<u8>));
        assert!(is_none(&&&None::<&str>));
        assert!(is_none::<Alias>(&None));
        assert!(!is_none(&Some(None::<u8>)));
        assert!(!is_none(&()));
        assert!(!is_none(&serde_json::Value::Null));
        assert!(!is_none(&[None::<u8>]));
        assert!(!is_none("text"));
    }
}
