//! What one message asks for: a call to run, an error to answer, or nothing.
//!
//! `exactly` is the reference; `quickly` reaches the same verdict faster for the usual shapes.

use super::around::{Extra, Rare};
use super::context::Asked;
use super::desk::Desk;
use super::local::LocalService;
use super::panic::{detail, forget};
use crate::error::DropReason;
use crate::observe::{Cause, Event};
use crate::params::BadParams;
use crate::wire::cursor::{Cursor, Stop};
use crate::wire::{ErrorObject, Id, Invalid, Message, Others, Reason, Response, write_error};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One message, and what was made of it. It is filled where it stays, for what it holds can be large.
pub(super) struct Docket<'de, S: LocalService> {
    /// What is owed.
    pub(super) verdict: Verdict,
    /// The decoded call, if it is to be run.
    pub(super) call: Option<S::Call<'de>>,
    /// The method that it names, and the id that an answer carries; `None` if none is owed.
    pub(super) context: Asked<'de>,
    /// The error, if it is refused, without which there is no such method; or what else its call has.
    pub(super) extra: Rare<'de>,
}

/// What is owed for a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The call is to be run.
    Run,
    /// The error is to be answered.
    Refuse,
    /// Nothing.
    Silence,
}

/// What a quick look finds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quick {
    /// The verdict; the cursor is behind the message.
    Judged,
    /// The text ended inside the params, so it is not JSON.
    CutOff,
    /// Only `exactly` can tell.
    Unusual,
}

impl<'de, S: LocalService> Docket<'de, S> {
    /// Nothing yet.
    #[inline]
    pub(super) fn new() -> Self {
        Docket { verdict: Verdict::Silence, call: None, context: Asked::default(), extra: Rare::NONE }
    }

    /// Judges the request at the cursor.
    #[inline]
    pub(super) fn quickly(&mut self, service: &'de S, cursor: &mut Cursor<'de>) -> Quick {
        let Some(stop) = cursor.head() else { return Quick::Unusual };
        let Some(method) = service.find(cursor.method()) else { return self.unknown(cursor, &stop) };
        let params = if stop == Stop::Params { cursor.rest() } else { "null" };
        match decode(service, method, params, &mut self.call) {
            Ok(Ok(length)) if self.call.is_some() && (stop == Stop::End || cursor.tail(length).is_some()) => {
                self.verdict = Verdict::Run;
                self.context = Asked::new(Cow::Borrowed(cursor.method()), cursor.id().map(Id::of_token));
                Quick::Judged
            }
            Ok(Err(bad)) if stop == Stop::Params && bad.is_cut_off() => Quick::CutOff,
            Ok(_) => Quick::Unusual,
            Err(payload) => {
                forget(payload);
                Quick::Unusual
            }
        }
    }

    /// A method that nobody serves.
    fn unknown(&mut self, cursor: &mut Cursor<'de>, stop: &Stop) -> Quick {
        if *stop == Stop::Params {
            let mut deserializer = serde_json::Deserializer::from_str(cursor.rest());
            if IgnoredAny::deserialize(&mut deserializer).is_err() {
                return Quick::Unusual;
            }
            if cursor.tail(deserializer.into_iter::<IgnoredAny>().byte_offset()).is_none() {
                return Quick::Unusual;
            }
        }
        // SPEC §4.1: notifications are never confirmed, not even with an error.
        if let Some(id) = cursor.id() {
            self.context = Asked::new(Cow::Borrowed(""), Some(Id::of_token(id)));
            self.verdict = Verdict::Refuse;
        }
        Quick::Judged
    }

    /// Judges a message that has been read exactly, with its `others`, `text` being the whole of it.
    #[cold]
    pub(super) fn exactly(desk: Desk<'de, S>, (message, others): (Message<'de>, Others<'de>), text: &[u8]) -> Self {
        let message = match message {
            Message::Request(request) if request.id.is_null() && !desk.rules.profile.null_ids => {
                Message::Invalid(Invalid { reason: Reason::IdNull, id: None })
            }
            message => message,
        };
        desk.show(&message, text);
        let mut docket = Docket::new();
        let params = match &message {
            Message::Request(request) => request.params,
            Message::Notification(notification) => notification.params,
            // A reply that nobody waits for: paired or dropped, never answered.
            Message::Response(response) => {
                desk.observe(&Event::Dropped { reason: &DropReason::UnknownId(response.id.clone()), text });
                return docket;
            }
            Message::Invalid(invalid) => {
                docket.refuse_invalid(desk, invalid.clone(), text);
                return docket;
            }
        };
        docket.context = Asked::of(message);
        match docket.decode_exactly(desk, params.map_or("null", |params| params.get())) {
            Ok(()) => {
                docket.verdict = Verdict::Run;
                if !others.is_empty() {
                    docket.extra = Rare::of(Extra { members: others, ..Extra::default() });
                }
            }
            Err(error) if docket.context.id().is_none() => {
                desk.observe(&Event::Silent { method: Some(docket.context.method()), error: Some(&error) });
            }
            Err(error) => docket.refuse(error),
        }
        docket
    }

    fn decode_exactly(&mut self, desk: Desk<'de, S>, params: &'de str) -> Result<(), ErrorObject> {
        let method = desk.service.find(self.context.method()).ok_or_else(ErrorObject::method_not_found)?;
        match decode(desk.service, method, params, &mut self.call) {
            Ok(Ok(_)) if self.call.is_some() => Ok(()),
            // A service that decodes nothing still owes an answer.
            Ok(Ok(_)) => Err(ErrorObject::internal_error()),
            Ok(Err(bad)) => Err(bad.to_object()),
            Err(payload) => {
                let (method, id, detail) = (self.context.method(), self.context.id(), &*detail(&*payload));
                desk.observe(&Event::Concealed { method, id, cause: Cause::Panic, detail });
                forget(payload);
                Err(ErrorObject::internal_error())
            }
        }
    }

    fn refuse_invalid(&mut self, desk: Desk<'de, S>, invalid: Invalid<'de>, text: &[u8]) {
        if let Some(Response { id, outcome: Err(error) }) = invalid.to_response() {
            self.context = Asked::new(Cow::Borrowed(""), Some(id));
            self.refuse(error);
        } else if invalid.reason.is_about_reply() {
            desk.observe(&Event::Dropped { reason: &DropReason::Invalid(invalid), text });
        } else {
            desk.observe(&Event::Silent { method: None, error: Some(&invalid.reason.to_error()) });
        }
    }

    #[cold]
    fn refuse(&mut self, error: ErrorObject) {
        self.verdict = Verdict::Refuse;
        self.extra = Rare::of(Extra { refusal: Some(error), ..Extra::default() });
    }
}

/// Appends the error that a message is refused with: there is no such method, if no other is given.
#[cold]
pub(super) fn write_refusal(context: &Asked<'_>, extra: Option<&Extra<'_>>, out: &mut Vec<u8>) {
    let id = context.id().map_or("null", Id::as_token);
    match extra.and_then(|extra| extra.refusal.as_ref()) {
        Some(error) => write_error(out, id, error),
        None => write_error(out, id, &ErrorObject::method_not_found()),
    }
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
