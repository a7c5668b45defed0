//! What one message asks for: a call to run, an error to answer, or nothing.
//!
//! `exactly` is the reference; `judge` reaches the same verdict faster for the usual shapes.

use super::local::LocalService;
use crate::params::BadParams;
use crate::wire::cursor::{Cursor, Stop};
use crate::wire::{ErrorObject, Id, Message};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The verdict on one message.
pub(super) enum Verdict<'de, S: LocalService> {
    /// A call or a notification to run.
    Run(Started<'de, S>),
    /// An error to answer.
    Refuse(Id<'de>, ErrorObject),
    /// Nothing is owed.
    Silence,
}

/// A call that is decoded and can run.
pub(super) struct Started<'de, S: LocalService> {
    pub(super) call: S::Call<'de>,
    pub(super) method: Cow<'de, str>,
    pub(super) id: Option<Id<'de>>,
}

/// Judges the request at the cursor and leaves the cursor behind it; `None` for anything unusual.
#[inline]
pub(super) fn quickly<'de, S: LocalService>(
    service: &'de S,
    cursor: &mut Cursor<'de>,
) -> Option<Result<Verdict<'de, S>, CutOff>> {
    let stop = cursor.head()?;
    let name = cursor.method();
    let Some(method) = service.find(name) else {
        return unknown(cursor, &stop).map(Ok);
    };
    let params = if stop == Stop::Params { cursor.rest() } else { "null" };
    match decode(service, method, params) {
        Ok(Ok((call, length))) => {
            if stop == Stop::Params {
                cursor.tail(length)?;
            }
            let id = cursor.id().and_then(Id::of_value);
            Some(Ok(Verdict::Run(Started { call, method: Cow::Borrowed(name), id })))
        }
        Ok(Err(bad)) if stop == Stop::Params && bad.is_cut_off() => Some(Err(CutOff)),
        Ok(Err(_)) | Err(Panicked) => None,
    }
}

/// The text ended inside the params, so it is not JSON.
pub(super) struct CutOff;

/// A method that nobody serves.
fn unknown<'de, S: LocalService>(cursor: &mut Cursor<'de>, stop: &Stop) -> Option<Verdict<'de, S>> {
    if *stop == Stop::Params {
        let mut deserializer = serde_json::Deserializer::from_str(cursor.rest());
        IgnoredAny::deserialize(&mut deserializer).ok()?;
        cursor.tail(deserializer.into_iter::<IgnoredAny>().byte_offset())?;
    }
    Some(match cursor.id().and_then(Id::of_value) {
        Some(id) => Verdict::Refuse(id, ErrorObject::method_not_found()),
        // SPEC §4.1: notifications are never confirmed, not even with an error.
        None => Verdict::Silence,
    })
}

/// Judges a message that has been read exactly.
#[cold]
pub(super) fn exactly<'de, S: LocalService>(service: &'de S, message: Message<'de>) -> Verdict<'de, S> {
    let (method, params, id) = match message {
        Message::Request(request) => (request.method, request.params, Some(request.id)),
        Message::Notification(notification) => (notification.method, notification.params, None),
        // A reply that nobody waits for: paired or dropped, never answered.
        Message::Response(_) => return Verdict::Silence,
        Message::Invalid(invalid) => {
            return match invalid.to_response().map(|response| (response.id, response.outcome)) {
                Some((id, Err(error))) => Verdict::Refuse(id, error),
                _ => Verdict::Silence,
            };
        }
    };
    let decoded = match service.find(&method) {
        None => Err(ErrorObject::method_not_found()),
        Some(found) => match decode(service, found, params.map_or("null", |params| params.get())) {
            Ok(Ok((call, _))) => Ok(call),
            Ok(Err(bad)) => Err(bad.to_object()),
            Err(Panicked) => Err(ErrorObject::internal_error()),
        },
    };
    match (decoded, id) {
        (Ok(call), id) => Verdict::Run(Started { call, method, id }),
        (Err(error), Some(id)) => Verdict::Refuse(id, error),
        (Err(_), None) => Verdict::Silence,
    }
}

/// The user's `Deserialize` panicked.
struct Panicked;

type Decoded<'de, S> = Result<(<S as LocalService>::Call<'de>, usize), BadParams>;

#[inline]
fn decode<'de, S: LocalService>(
    service: &'de S,
    method: S::Method,
    params: &'de str,
) -> Result<Decoded<'de, S>, Panicked> {
    catch_unwind(AssertUnwindSafe(|| service.decode(method, params))).map_err(drop_panic)
}

/// A panic's payload may panic itself when it is dropped.
#[cold]
fn drop_panic(payload: Box<dyn std::any::Any + Send>) -> Panicked {
    std::mem::forget(payload);
    Panicked
}
