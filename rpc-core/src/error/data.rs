//! The fields of a derived error in the `data` of its error object. They follow the rules for params.

use crate::params::{Arguments, Params, Signature, decode};
use crate::wire::ErrorObject;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// Sets `data` to the fields: an object with `names`, or an array if `by_name` is `false`. If a field cannot
/// be serialized, `data` is not set.
#[must_use]
pub fn with_fields(object: ErrorObject, names: &[&str], by_name: bool, fields: &impl Arguments) -> ErrorObject {
    let mut data = Vec::new();
    let text = fields.write(names, by_name, &mut data).ok().and_then(|()| String::from_utf8(data).ok());
    match text.filter(|data| !data.is_empty()).map(RawValue::from_string) {
        Some(Ok(data)) => ErrorObject { data: Some(data), ..object },
        _ => object,
    }
}

/// Makes an error from the fields in `data`. Unknown members are ignored.
///
/// # Errors
///
/// The object, if the fields cannot be deserialized.
pub fn from_fields<F: for<'de> Params<'de>, E>(
    object: ErrorObject,
    names: &'static [&'static str],
    make: impl FnOnce(F) -> E,
) -> Result<E, ErrorObject> {
    let mut error = None;
    let data = object.data.as_ref().map_or("null", |data| data.get());
    match decode(&Signature { names, allow_unknown: true }, data, &mut error, make) {
        Ok(_) => error.ok_or(object),
        Err(_) => Err(object),
    }
}

/// Makes an error whose only field is `data` itself.
///
/// # Errors
///
/// The object, if `data` cannot be deserialized.
pub fn from_data<T: DeserializeOwned, E>(object: ErrorObject, make: impl FnOnce(T) -> E) -> Result<E, ErrorObject> {
    let data = object.data.as_ref().map_or("null", |data| data.get());
    match serde_json::from_str(data) {
        Ok(data) => Ok(make(data)),
        Err(_) => Err(object),
    }
}
