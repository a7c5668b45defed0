//! The fields of an error as the `data` of its error object, by the rules of params.

use crate::params::{Arguments, Params, Signature, decode};
use crate::wire::ErrorObject;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// Adds fields to an error object as its `data`: an object if `by_name`, else an array. Adds none if a field cannot be
/// serialised.
#[must_use]
pub fn with_fields(object: ErrorObject, names: &[&str], by_name: bool, fields: &impl Arguments) -> ErrorObject {
    let mut data = Vec::new();
    let written = fields.write(names, by_name, &mut data).ok().and_then(|()| String::from_utf8(data).ok());
    match written.filter(|data| !data.is_empty()).map(RawValue::from_string) {
        Some(Ok(data)) => ErrorObject { data: Some(data), ..object },
        _ => object,
    }
}

/// Reads the fields of an error from the `data` of its object. Unknown members are ignored.
///
/// # Errors
///
/// Returns the object if its `data` does not have the fields.
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

/// Reads the only field of an error, which is the `data` of its object.
///
/// # Errors
///
/// Returns the object if its `data` is not the field.
pub fn from_data<T: DeserializeOwned, E>(object: ErrorObject, make: impl FnOnce(T) -> E) -> Result<E, ErrorObject> {
    let data = object.data.as_ref().map_or("null", |data| data.get());
    match serde_json::from_str(data) {
        Ok(data) => Ok(make(data)),
        Err(_) => Err(object),
    }
}
