//! Classification of a message: a call to run, a request to reject, or a message to ignore.
//!
//! `strict` is the reference implementation. `fast` classifies the common messages alike, with less work, and
//! leaves the others to `strict`.

use super::call_context::{BoxedExtras, CallExtras};
use super::context::CallHead;
use super::engine::Engine;
use super::panic::{detail, forget};
use super::service::Service;
use crate::error::DiscardReason;
use crate::observe::{Cause, EventKind};
use crate::params::BadParams;
use crate::wire::cursor::{Cursor, Stop};
use crate::wire::{ErrorObject, ExtraMembers, Id, Invalid, Message, Reason, Response, write_error};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One parsed message that is not a batch. It can be large, so it is filled in place and not moved.
pub(super) struct ParsedRequest<'de, S: Service> {
    pub(super) action: Action,
    /// The decoded call, with [`Action::Run`].
    pub(super) call: Option<S::Call<'de>>,
    /// The id is `None` if the message gets no response.
    pub(super) head: CallHead<'de>,
    /// With [`Action::Reject`], the error to respond with; none means -32601 (method not found). With
    /// [`Action::Run`], the members of the message that JSON-RPC does not define.
    pub(super) extras: BoxedExtras<'de>,
}

/// The way to handle a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Run,
    Reject,
    Ignore,
}

/// The result of `ParsedRequest::fast`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FastResult {
    /// The message is classified, and the cursor is behind it.
    Done,
    /// The text ends inside the params, so it is not JSON.
    Truncated,
    /// `strict` has to classify the message.
    Fallback,
}

impl<'de, S: Service> ParsedRequest<'de, S> {
    /// Returns an empty value, to be filled by `fast`.
    #[inline]
    pub(super) fn new() -> Self {
        ParsedRequest { action: Action::Ignore, call: None, head: CallHead::default(), extras: BoxedExtras::NONE }
    }

    /// Classifies the request at the cursor.
    #[inline]
    pub(super) fn fast(&mut self, service: &'de S, cursor: &mut Cursor<'de>) -> FastResult {
        let Some(stop) = cursor.head() else { return FastResult::Fallback };
        let Some(method) = find(service, cursor.method()) else { return self.reject_unknown(cursor, &stop) };
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

    /// Rejects a request whose method does not exist.
    fn reject_unknown(&mut self, cursor: &mut Cursor<'de>, stop: &Stop) -> FastResult {
        if *stop == Stop::Params {
            let mut deserializer = serde_json::Deserializer::from_str(cursor.rest());
            if IgnoredAny::deserialize(&mut deserializer).is_err() {
                return FastResult::Fallback;
            }
            if cursor.tail(deserializer.into_iter::<IgnoredAny>().byte_offset()).is_none() {
                return FastResult::Fallback;
            }
        }
        // SPEC §4.1: a notification has no response, not even an error.
        if let Some(id) = cursor.id() {
            self.head = CallHead::new(Cow::Borrowed(""), Some(Id::from_valid_token(id)));
            self.action = Action::Reject;
        }
        FastResult::Done
    }

    /// Classifies a parsed message, with the `members` that JSON-RPC does not define and its whole `text`.
    #[cold]
    pub(super) fn strict(
        engine: Engine<'de, S>,
        (message, members): (Message<'de>, ExtraMembers<'de>),
        text: &[u8],
    ) -> Self {
        let message = match message {
            Message::Request(request) if request.id.is_null() && !engine.call_context.config.profile.null_ids => {
                Message::Invalid(Invalid { reason: Reason::IdNull, id: None })
            }
            message => message,
        };
        engine.observe_message(&message, text);
        let mut parsed = ParsedRequest::new();
        let params = match &message {
            Message::Request(request) => request.params,
            Message::Notification(notification) => notification.params,
            // A connection has taken the responses to its pending calls before.
            Message::Response(response) => {
                engine.observe(EventKind::Discarded { reason: &DiscardReason::UnknownId(response.id.clone()), text });
                return parsed;
            }
            Message::Invalid(invalid) => {
                parsed.reject_invalid(engine, invalid.clone(), text);
                return parsed;
            }
        };
        parsed.head = CallHead::from_message(message);
        match parsed.decode_strict(engine, params.map_or("null", |params| params.get())) {
            Ok(()) => {
                parsed.action = Action::Run;
                if !members.is_empty() {
                    parsed.extras = BoxedExtras::new(CallExtras { members, ..CallExtras::default() });
                }
            }
            Err(error) if parsed.head.id().is_none() => {
                engine.observe(EventKind::NoResponse { method: Some(parsed.head.method()), error: Some(&error) });
            }
            Err(error) => parsed.reject(error),
        }
        parsed
    }

    fn decode_strict(&mut self, engine: Engine<'de, S>, params: &'de str) -> Result<(), ErrorObject> {
        let method = find(engine.service, self.head.method()).ok_or_else(ErrorObject::method_not_found)?;
        match decode(engine.service, method, params, &mut self.call) {
            Ok(Ok(_)) if self.call.is_some() => Ok(()),
            // `Service::decode` succeeded without a call, against its contract.
            Ok(Ok(_)) => Err(ErrorObject::internal_error()),
            Ok(Err(bad)) => Err(bad.into()),
            Err(payload) => {
                let (method, id, detail) = (self.head.method(), self.head.id(), &*detail(&*payload));
                engine.observe(EventKind::InternalFailure { method, id, cause: Cause::Panic, detail });
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
            engine.observe(EventKind::Discarded { reason: &DiscardReason::Invalid(invalid), text });
        } else {
            engine.observe(EventKind::NoResponse { method: None, error: Some(&invalid.reason.to_error()) });
        }
    }

    #[cold]
    fn reject(&mut self, error: ErrorObject) {
        self.action = Action::Reject;
        self.extras = BoxedExtras::new(CallExtras { rejection: Some(error), ..CallExtras::default() });
    }
}

/// Appends the response to a rejected request: the error in `extras`, or else -32601 (method not found).
#[cold]
pub(super) fn write_rejection(head: &CallHead<'_>, extras: Option<&CallExtras<'_>>, out: &mut Vec<u8>) {
    let id = head.id().map_or("null", Id::as_token);
    match extras.and_then(|extras| extras.rejection.as_ref()) {
        Some(error) => write_error(out, id, error),
        None => write_error(out, id, &ErrorObject::method_not_found()),
    }
}

/// Returns the method of a wire name, or else the fallback of the service.
#[inline]
fn find<S: Service>(service: &S, name: &str) -> Option<S::Method> {
    service.find(name).or_else(|| service.fallback())
}

/// Decodes params. The outer error is the payload of a panic in the user's `Deserialize`.
#[inline]
fn decode<'de, S: Service>(
    service: &'de S,
    method: S::Method,
    params: &'de str,
    call: &mut Option<S::Call<'de>>,
) -> Result<Result<usize, BadParams>, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(|| service.decode(method, params, call)))
}
