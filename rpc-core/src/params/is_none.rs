//! Whether a value is `None`, asked of its own `Serialize`.

use serde::ser::{Impossible, Serialize, Serializer};
use std::fmt;

/// Whether `value` serialises as a `None`, under whatever name its type goes. Null is not enough: a
/// null inside a `Value` is a value.
#[inline]
pub(super) fn is_none<T: Serialize + ?Sized>(value: &T) -> bool {
    value.serialize(Probe).is_ok()
}

/// Succeeds for `None` only.
struct Probe;

#[derive(Debug)]
struct Other;
impl fmt::Display for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not `None`")
    }
}
impl std::error::Error for Other {}
impl serde::ser::Error for Other {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Other
    }
}

macro_rules! others {
    ($($method:ident($($argument:ty),*))*) => {$(
        #[inline]
        fn $method(self, $(_: $argument),*) -> Result<(), Other> {
            Err(Other)
        }
    )*};
}
macro_rules! compounds {
    ($($method:ident($($argument:ty),*) -> $kind:ident)*) => {$(
        type $kind = Impossible<(), Other>;
        #[inline]
        fn $method(self, $(_: $argument),*) -> Result<Self::$kind, Other> {
            Err(Other)
        }
    )*};
}

impl Serializer for Probe {
    type Ok = ();
    type Error = Other;

    #[inline]
    fn serialize_none(self) -> Result<(), Other> {
        Ok(())
    }
    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), Other> {
        Err(Other)
    }
    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Other> {
        value.serialize(self)
    }
    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Other> {
        Err(Other)
    }
    others! {
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
    #[inline]
    fn collect_str<T: fmt::Display + ?Sized>(self, _: &T) -> Result<(), Other> {
        Err(Other)
    }
}

#[cfg(test)]
mod tests {
    use super::is_none;

    #[test]
    fn only_none_is_none() {
        type Defaulted = Option<u8>;
        assert!(is_none(&None::<u8>));
        assert!(is_none(&&&None::<&str>));
        assert!(is_none::<Defaulted>(&None));
        assert!(!is_none(&Some(None::<u8>)));
        assert!(!is_none(&()));
        assert!(!is_none(&serde_json::Value::Null));
        assert!(!is_none(&[None::<u8>]));
        assert!(!is_none("text"));
    }
}
