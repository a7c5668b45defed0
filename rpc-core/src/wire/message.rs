//! The strict classification of one message: the reference that a faster reader must agree with.

use super::error::ErrorObject;
use super::id::Id;
use super::members::{self, Member};
use super::reason::Reason;
use super::request::{Notification, Request};
use super::response::Response;
use super::token::unescape;
use super::version::is_version;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A parsed single message, or a parsed member of a batch.
///
/// ```
/// use rpc_core::wire::Message;
///
/// assert!(matches!(Message::read(r#"{"jsonrpc":"2.0","method":"a","id":null}"#), Message::Request(_)));
/// assert!(matches!(Message::read(r#"{"jsonrpc":"2.0","method":"a"}"#), Message::Notification(_)));
/// assert!(matches!(Message::read(r#"{"jsonrpc":"2.0","result":1,"id":1}"#), Message::Response(_)));
/// assert!(matches!(Message::read("not json"), Message::Invalid(_)));
/// ```
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// A request with an id.
    Request(Request<'a>),
    /// A request without an id, which gets no response.
    Notification(Notification<'a>),
    /// A response.
    Response(Response<'a>),
    /// Any other message.
    Invalid(Invalid<'a>),
}

/// A message that is not a valid request, notification or response.
///
/// ```
/// use rpc_core::wire::{Message, Reason};
///
/// let Message::Invalid(invalid) = Message::read("[]") else { panic!() };
/// assert_eq!(invalid.reason, Reason::NotAnObject);
/// assert_eq!(invalid.reason.to_error().code, -32600);
/// ```
#[derive(Clone, Debug)]
pub struct Invalid<'a> {
    /// The fault.
    pub reason: Reason,
    /// The id for an error response, if the message has exactly one `id` and it is valid.
    pub id: Option<Id<'a>>,
}

impl<'a> Invalid<'a> {
    /// Returns the error response to the message. Returns `None` if the message has the shape of a response,
    /// or if it is a notification whose method name a Rust string cannot hold.
    #[must_use]
    pub fn to_response(&self) -> Option<Response<'a>> {
        let has_none =
            self.reason.is_about_response() || (self.reason == Reason::MethodUnreadable && self.id.is_none());
        // SPEC §5: the id is null if there was an error in detecting it.
        let id = self.id.clone().unwrap_or(Id::NULL);
        (!has_none).then(|| Response { id, outcome: Err(self.reason.to_error()) })
    }
}

impl<'a> Message<'a> {
    /// Parses `text`, which must be one whole message and not a batch. Every text is accepted: one that is
    /// not a valid message becomes [`Message::Invalid`].
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        match serde_json::from_str::<&RawValue>(text) {
            Ok(value) => Message::from_value(value),
            Err(_) => Message::Invalid(Invalid { reason: Reason::NotJson, id: None }),
        }
    }

    /// Classifies one JSON value.
    pub(crate) fn from_value(value: &'a RawValue) -> Self {
        Message::classify(value, |_, _| {})
    }

    /// Like `read`, and also returns the extra members.
    pub(crate) fn read_with_extra(text: &'a str) -> (Self, ExtraMembers<'a>) {
        match serde_json::from_str::<&RawValue>(text) {
            Ok(value) => Message::from_value_with_extra(value),
            Err(_) => (Message::Invalid(Invalid { reason: Reason::NotJson, id: None }), ExtraMembers::new()),
        }
    }

    /// Like `from_value`, and also returns the extra members.
    pub(crate) fn from_value_with_extra(value: &'a RawValue) -> (Self, ExtraMembers<'a>) {
        let mut extra = ExtraMembers::new();
        let message = Message::classify(value, |name, value| extra.push((name, value)));
        (message, extra)
    }

    /// Classifies one JSON value, and calls `on_extra` with the members that the specification does not
    /// define.
    fn classify(value: &'a RawValue, mut on_extra: impl FnMut(Cow<'a, str>, &'a RawValue)) -> Self {
        let mut envelope = Envelope::default();
        // SPEC §4: a message is an object. A derived `Deserialize` would accept an array, too.
        match members::read(value.get(), |name, value| envelope.add(name, value, &mut on_extra)) {
            Ok(()) => envelope.classify(),
            Err(_) => Message::Invalid(Invalid { reason: Reason::NotAnObject, id: None }),
        }
    }
}

/// The members of a message that the specification does not define, in the order of the text.
pub(crate) type ExtraMembers<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// The members that the specification defines.
#[derive(Default)]
struct Envelope<'a> {
    version: Member<'a>,
    method: Member<'a>,
    params: Member<'a>,
    id: Member<'a>,
    result: Member<'a>,
    error: Member<'a>,
}

impl<'a> Envelope<'a> {
    fn add(&mut self, name: &'a str, value: &'a RawValue, on_extra: &mut impl FnMut(Cow<'a, str>, &'a RawValue)) {
        // A name that a Rust string cannot hold is not one of these, and cannot be looked up as an extra
        // member.
        let Some(name) = unescape(name) else { return };
        let member = match &*name {
            "jsonrpc" => &mut self.version,
            "method" => &mut self.method,
            "params" => &mut self.params,
            "id" => &mut self.id,
            "result" => &mut self.result,
            "error" => &mut self.error,
            // Extra members may be repeated.
            _ => return on_extra(name, value),
        };
        member.add(value);
    }

    fn classify(self) -> Message<'a> {
        let id = self.id.once().and_then(|id| Id::from_value(id.get()));
        let message = if self.method.is_present() || !(self.result.is_present() || self.error.is_present()) {
            self.request(id.clone())
        } else {
            self.response(id.clone())
        };
        message.unwrap_or_else(|reason| Message::Invalid(Invalid { reason, id }))
    }

    fn request(&self, id: Option<Id<'a>>) -> Result<Message<'a>, Reason> {
        if !self.method.is_present() {
            return Err(Reason::NoMethod);
        }
        if [self.version, self.method, self.params, self.id].into_iter().any(Member::is_repeated) {
            return Err(Reason::MemberRepeated);
        }
        // SPEC §4: a request without an `id` member is a notification; one with an invalid id is not.
        if self.id.is_present() && id.is_none() {
            return Err(Reason::IdNotAllowed);
        }
        if !self.version.once().is_some_and(|version| is_version(version.get())) {
            return Err(Reason::Version);
        }
        let method = self.method.once().ok_or(Reason::MemberRepeated)?.get();
        if !method.starts_with('"') {
            return Err(Reason::MethodNotString);
        }
        if self.result.is_present() || self.error.is_present() {
            return Err(Reason::ResultBesideMethod);
        }
        let params = self.params.once().filter(|params| params.get() != "null");
        if params.is_some_and(|params| !params.get().starts_with(['[', '{'])) {
            return Err(Reason::ParamsNotStructured);
        }
        let method = unescape(method).ok_or(Reason::MethodUnreadable)?;
        Ok(match id {
            Some(id) => Message::Request(Request { method, params, id }),
            None => Message::Notification(Notification { method, params }),
        })
    }

    fn response(&self, id: Option<Id<'a>>) -> Result<Message<'a>, Reason> {
        if [self.version, self.id, self.result, self.error].into_iter().any(Member::is_repeated) {
            return Err(Reason::ResponseMemberRepeated);
        }
        if !self.id.is_present() {
            return Err(Reason::ResponseWithoutId);
        }
        let id = id.ok_or(Reason::ResponseIdNotAllowed)?;
        let is_null = |value: &&RawValue| value.get() == "null";
        let error = self.error.once();
        let outcome = match (self.result.once(), error.filter(|error| !is_null(error))) {
            // A JSON-RPC 1.0 peer sends both members, one of them null.
            (None, Some(error)) => Err(error),
            (Some(result), Some(error)) if is_null(&result) => Err(error),
            (Some(_), Some(_)) => return Err(Reason::ResultAndError),
            (Some(result), None) => Ok(result),
            (None, None) => return Err(Reason::NeitherResultNorError),
        };
        let outcome = match outcome {
            Ok(result) => Ok(result),
            Err(error) => Err(ErrorObject::from_value(error)?),
        };
        Ok(Message::Response(Response { id, outcome }))
    }
}
