//! What one message asks for: a call to run, an error to answer, or nothing.
//!
//! `strict` is the reference; `fast` reaches the same verdict faster for the usual shapes.

use super::call_context::{BoxedExtras, CallExtras};
use super::context::CallHead;
use super::engine::Engine;
use super::panic::{detail, forget};
use super::service::Service;
use crate::error::DiscardReason;
use crate::observe::{Cause, Event};
use crate::params::BadParams;
use crate::wire::cursor::{Cursor, Stop};
use crate::wire::{ErrorObject, ExtraMembers, Id, Invalid, Message, Reason, Response, write_error};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One message, and what was made of it. It is filled where it stays, for what it holds can be large.
pub(super) struct ParsedRequest<'de, S: Service> {
    /// What is owed.
    pub(super) action: Action,
    /// The decoded call, if it is to be run.
    pub(super) call: Option<S::Call<'de>>,
    /// The method that it names, and the id that an answer carries; `None` if none is owed.
    pub(super) head: CallHead<'de>,
    /// The error, if it is refused, without which there is no such method; or what else its call has.
    pub(super) extras: BoxedExtras<'de>,
}

/// What is owed for a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// The call is to be run.
    Run,
    /// The error is to be answered.
    Reject,
    /// Nothing.
    Ignore,
}

/// What a quick look finds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FastResult {
    /// The verdict; the cursor is behind the message.
    Done,
    /// The text ended inside the params, so it is not JSON.
    Truncated,
    /// Only `strict` can tell.
    Fallback,
}

impl<'de, S: Service> ParsedRequest<'de, S> {
    /// Nothing yet.
    #[inline]
    pub(super) fn new() -> Self {
        ParsedRequest { action: Action::Ignore, call: None, head: CallHead::default(), extras: BoxedExtras::NONE }
    }

    /// Judges the request at the cursor.
    #[inline]
    pub(super) fn fast(&mut self, service: &'de S, cursor: &mut Cursor<'de>) -> FastResult {
        let Some(stop) = cursor.head() else { return FastResult::Fallback };
        let Some(method) = find(service, cursor.method()) else { return self.unknown(cursor, &stop) };
        let params = if stop == Stop::Params { cursor.rest() } else { "null" };
        match decode(service, method, params, &mut self.call) {
            Ok(Ok(length)) if self.call.is_some() && (stop == Stop::End || cursor.tail(length).is_some()) => {
                self.action = Action::Run;
                self.head = CallHead::new(Cow::Borrowed(cursor.method()), cursor.id().map(Id::from_valid_token));
                FastResult::Done
            }
            Ok(Err(bad)) if stop == Stop::Params && bad.is_cut_off() => FastResult::Truncated,
            Ok(_) => FastResult::Fallback,
            Err(payload) => {
                forget(payload);
                FastResult::Fallback
            }
        }
    }

    /// A method that nobody serves.
    fn unknown(&mut self, cursor: &mut Cursor<'de>, stop: &Stop) -> FastResult {
        if *stop == Stop::Params {
            let mut deserializer = serde_json::Deserializer::from_str(cursor.rest());
            if IgnoredAny::deserialize(&mut deserializer).is_err() {
                return FastResult::Fallback;
            }
            if cursor.tail(deserializer.into_iter::<IgnoredAny>().byte_offset()).is_none() {
                return FastResult::Fallback;
            }
        }
        // SPEC §4.1: notifications are never confirmed, not even with an error.
        if let Some(id) = cursor.id() {
            self.head = CallHead::new(Cow::Borrowed(""), Some(Id::from_valid_token(id)));
            self.action = Action::Reject;
        }
        FastResult::Done
    }

    /// Judges a message that has been read exactly, with its `others`, `text` being the whole of it.
    #[cold]
    pub(super) fn strict(
        engine: Engine<'de, S>,
        (message, others): (Message<'de>, ExtraMembers<'de>),
        text: &[u8],
    ) -> Self {
        let message = match message {
            Message::Request(request) if request.id.is_null() && !engine.call_context.config.profile.null_ids => {
                Message::Invalid(Invalid { reason: Reason::IdNull, id: None })
            }
            message => message,
        };
        engine.show(&message, text);
        let mut parsed = ParsedRequest::new();
        let params = match &message {
            Message::Request(request) => request.params,
            Message::Notification(notification) => notification.params,
            // A reply that nobody waits for: paired or dropped, never answered.
            Message::Response(response) => {
                engine.observe(&Event::Discarded { reason: &DiscardReason::UnknownId(response.id.clone()), text });
                return parsed;
            }
            Message::Invalid(invalid) => {
                parsed.reject_invalid(engine, invalid.clone(), text);
                return parsed;
            }
        };
        parsed.head = CallHead::of(message);
        match parsed.decode_strict(engine, params.map_or("null", |params| params.get())) {
            Ok(()) => {
                parsed.action = Action::Run;
                if !others.is_empty() {
                    parsed.extras = BoxedExtras::new(CallExtras { members: others, ..CallExtras::default() });
                }
            }
            Err(error) if parsed.head.id().is_none() => {
                engine.observe(&Event::NoResponse { method: Some(parsed.head.method()), error: Some(&error) });
            }
            Err(error) => parsed.reject(error),
        }
        parsed
    }

    fn decode_strict(&mut self, engine: Engine<'de, S>, params: &'de str) -> Result<(), ErrorObject> {
        let method = find(engine.service, self.head.method()).ok_or_else(ErrorObject::method_not_found)?;
        match decode(engine.service, method, params, &mut self.call) {
            Ok(Ok(_)) if self.call.is_some() => Ok(()),
            // A service that decodes nothing still owes an answer.
            Ok(Ok(_)) => Err(ErrorObject::internal_error()),
            Ok(Err(bad)) => Err(bad.into()),
            Err(payload) => {
                let (method, id, detail) = (self.head.method(), self.head.id(), &*detail(&*payload));
                engine.observe(&Event::InternalFailure { method, id, cause: Cause::Panic, detail });
                forget(payload);
                Err(ErrorObject::internal_error())
            }
        }
    }

    fn reject_invalid(&mut self, engine: Engine<'de, S>, invalid: Invalid<'de>, text: &[u8]) {
        if let Some(Response { id, outcome: Err(error) }) = invalid.to_response() {
            self.head = CallHead::new(Cow::Borrowed(""), Some(id));
            self.reject(error);
        } else if invalid.reason.is_about_response() {
            engine.observe(&Event::Discarded { reason: &DiscardReason::Invalid(invalid), text });
        } else {
            engine.observe(&Event::NoResponse { method: None, error: Some(&invalid.reason.to_error()) });
        }
    }

    #[cold]
    fn reject(&mut self, error: ErrorObject) {
        self.action = Action::Reject;
        self.extras = BoxedExtras::new(CallExtras { rejection: Some(error), ..CallExtras::default() });
    }
}

/// Appends the error that a message is refused with: there is no such method, if no other is given.
#[cold]
pub(super) fn write_rejection(head: &CallHead<'_>, extras: Option<&CallExtras<'_>>, out: &mut Vec<u8>) {
    let id = head.id().map_or("null", Id::as_token);
    match extras.and_then(|extras| extras.rejection.as_ref()) {
        Some(error) => write_error(out, id, error),
        None => write_error(out, id, &ErrorObject::method_not_found()),
    }
}

/// Finds the method of a name, or the one that handles names that the service does not know.
#[inline]
fn find<S: Service>(service: &S, name: &str) -> Option<S::Method> {
    service.find(name).or_else(|| service.fallback())
}

/// Decodes params; the error outside is what the user's `Deserialize` panicked with.
#[inline]
fn decode<'de, S: Service>(
    service: &'de S,
    method: S::Method,
    params: &'de str,
    call: &mut Option<S::Call<'de>>,
) -> Result<Result<usize, BadParams>, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(|| service.decode(method, params, call)))
}
