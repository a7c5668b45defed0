//! The fields of an error, in the data of its object: by the rules of parameters.

use crate::params::{Arguments, Params, Signature, decode};
use crate::wire::ErrorObject;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// The object with fields as its data: an object by name, else a list. Without data if a field cannot
/// be serialised.
#[must_use]
pub fn with_fields(object: ErrorObject, names: &[&str], by_name: bool, fields: &impl Arguments) -> ErrorObject {
    let mut data = Vec::new();
    let written = fields.write(names, by_name, &mut data).ok().and_then(|()| String::from_utf8(data).ok());
    match written.filter(|data| !data.is_empty()).map(RawValue::from_string) {
        Some(Ok(data)) => ErrorObject { data: Some(data), ..object },
        _ => object,
    }
}

/// The error whose fields are in the object's data; members of the data that are no fields are passed
/// over.
///
/// # Errors
///
/// The object, when they are not.
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

/// The error whose only field is the object's data.
///
/// # Errors
///
/// The object, when it is not.
pub fn from_data<T: DeserializeOwned, E>(object: ErrorObject, make: impl FnOnce(T) -> E) -> Result<E, ErrorObject> {
    let data = object.data.as_ref().map_or("null", |data| data.get());
    match serde_json::from_str(data) {
        Ok(data) => Ok(make(data)),
        Err(_) => Err(object),
    }
}
