//! What one message asks for: a call to run, an error to answer, or nothing.
//!
//! `exactly` is the reference; `quickly` reaches the same verdict faster for the usual shapes.

use super::context::Context;
use super::desk::Desk;
use super::local::LocalService;
use super::panic::{detail, forget};
use crate::error::DropReason;
use crate::observe::{Cause, Event};
use crate::params::BadParams;
use crate::wire::cursor::{Cursor, Stop};
use crate::wire::{ErrorObject, Id, Invalid, Message, Response};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The verdict on one message.
pub(super) enum Verdict<'de> {
    /// The call that was decoded is to be run.
    Run(Context<'de>),
    /// An error to answer.
    Refuse(Id<'de>, ErrorObject),
    /// Nothing is owed.
    Silence,
}

/// What a quick look finds.
pub(super) enum Quick<'de> {
    /// The verdict; the cursor is behind the message.
    Verdict(Verdict<'de>),
    /// The text ended inside the params, so it is not JSON.
    CutOff,
    /// Only `exactly` can tell.
    Unusual,
}

/// Judges the request at the cursor.
#[inline]
pub(super) fn quickly<'de, S: LocalService>(
    service: &'de S,
    cursor: &mut Cursor<'de>,
    call: &mut Option<S::Call<'de>>,
) -> Quick<'de> {
    let Some(stop) = cursor.head() else { return Quick::Unusual };
    let name = cursor.method();
    let Some(method) = service.find(name) else {
        return unknown(cursor, &stop).map_or(Quick::Unusual, Quick::Verdict);
    };
    let params = if stop == Stop::Params { cursor.rest() } else { "null" };
    match decode(service, method, params, call) {
        Ok(Ok(length)) => {
            if stop == Stop::Params && cursor.tail(length).is_none() {
                return Quick::Unusual;
            }
            Quick::Verdict(Verdict::Run(Context::new(Cow::Borrowed(name), cursor.id().map(Id::of_token))))
        }
        Ok(Err(bad)) if stop == Stop::Params && bad.is_cut_off() => Quick::CutOff,
        Ok(Err(_)) => Quick::Unusual,
        Err(payload) => {
            forget(payload);
            Quick::Unusual
        }
    }
}

/// A method that nobody serves.
fn unknown<'de>(cursor: &mut Cursor<'de>, stop: &Stop) -> Option<Verdict<'de>> {
    if *stop == Stop::Params {
        let mut deserializer = serde_json::Deserializer::from_str(cursor.rest());
        IgnoredAny::deserialize(&mut deserializer).ok()?;
        cursor.tail(deserializer.into_iter::<IgnoredAny>().byte_offset())?;
    }
    Some(match cursor.id().map(Id::of_token) {
        Some(id) => Verdict::Refuse(id, ErrorObject::method_not_found()),
        // SPEC §4.1: notifications are never confirmed, not even with an error.
        None => Verdict::Silence,
    })
}

/// Judges a message that has been read exactly, `text` being the whole of it.
#[cold]
pub(super) fn exactly<'de, S: LocalService>(
    desk: Desk<'de, S>,
    message: Message<'de>,
    text: &[u8],
    call: &mut Option<S::Call<'de>>,
) -> Verdict<'de> {
    desk.show(&message, text);
    let (method, params, id) = match message {
        Message::Request(request) => (request.method, request.params, Some(request.id)),
        Message::Notification(notification) => (notification.method, notification.params, None),
        // A reply that nobody waits for: paired or dropped, never answered.
        Message::Response(response) => {
            desk.observe(&Event::Dropped { reason: &DropReason::UnknownId(response.id), text });
            return Verdict::Silence;
        }
        Message::Invalid(invalid) => return refuse_invalid(desk, invalid, text),
    };
    let decoded = match desk.service.find(&method) {
        None => Err(ErrorObject::method_not_found()),
        Some(found) => match decode(desk.service, found, params.map_or("null", |params| params.get()), call) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(bad)) => Err(bad.to_object()),
            Err(payload) => {
                let (id, detail) = (id.as_ref(), &*detail(&*payload));
                desk.observe(&Event::Concealed { method: &method, id, cause: Cause::Panic, detail });
                forget(payload);
                Err(ErrorObject::internal_error())
            }
        },
    };
    match (decoded, id) {
        (Ok(()), id) => Verdict::Run(Context::new(method, id)),
        (Err(error), Some(id)) => Verdict::Refuse(id, error),
        (Err(error), None) => {
            desk.observe(&Event::Silent { method: Some(&method), error: Some(&error) });
            Verdict::Silence
        }
    }
}

fn refuse_invalid<'de, S: LocalService>(desk: Desk<'de, S>, invalid: Invalid<'de>, text: &[u8]) -> Verdict<'de> {
    if let Some(Response { id, outcome: Err(error) }) = invalid.to_response() {
        return Verdict::Refuse(id, error);
    }
    if invalid.reason.is_about_reply() {
        desk.observe(&Event::Dropped { reason: &DropReason::Invalid(invalid), text });
    } else {
        desk.observe(&Event::Silent { method: None, error: Some(&invalid.reason.to_error()) });
    }
    Verdict::Silence
}

/// Decodes params; the error outside is what the user's `Deserialize` panicked with.
#[inline]
fn decode<'de, S: LocalService>(
    service: &'de S,
    method: S::Method,
    params: &'de str,
    call: &mut Option<S::Call<'de>>,
) -> Result<Result<usize, BadParams>, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(|| service.decode(method, params, call)))
}
