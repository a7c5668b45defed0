//! What a message is, decided exactly: the reference that every faster reader must agree with.

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

/// A single message, or a member of a batch.
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
    /// A call.
    Request(Request<'a>),
    /// A call that is never answered.
    Notification(Notification<'a>),
    /// An answer.
    Response(Response<'a>),
    /// None of these.
    Invalid(Invalid<'a>),
}

/// A message that is no valid request, notification or answer.
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
    /// What is wrong with it.
    pub reason: Reason,
    /// The id, if exactly one valid id was read: what an error about the message is filed under.
    pub id: Option<Id<'a>>,
}

impl<'a> Invalid<'a> {
    /// The answer that is owed: none to what has the shape of an answer, nor to a notification whose
    /// method's name no Rust string can hold.
    #[must_use]
    pub fn to_response(&self) -> Option<Response<'a>> {
        let silent = self.reason.is_about_response() || (self.reason == Reason::MethodUnreadable && self.id.is_none());
        // SPEC §5: the id is null when there was an error in detecting it.
        let id = self.id.clone().unwrap_or(Id::NULL);
        (!silent).then(|| Response { id, outcome: Err(self.reason.to_error()) })
    }
}

impl<'a> Message<'a> {
    /// Tells what the whole of `text` is, as a message that is no batch.
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        match serde_json::from_str::<&RawValue>(text) {
            Ok(value) => Message::of_value(value),
            Err(_) => Message::Invalid(Invalid { reason: Reason::NotJson, id: None }),
        }
    }

    /// Tells what one JSON value is.
    pub(crate) fn of_value(value: &'a RawValue) -> Self {
        Message::of_members(value, |_, _| {})
    }

    /// As `read`, with what else is in the envelope.
    pub(crate) fn read_with_extra(text: &'a str) -> (Self, ExtraMembers<'a>) {
        match serde_json::from_str::<&RawValue>(text) {
            Ok(value) => Message::of_value_with_extra(value),
            Err(_) => (Message::Invalid(Invalid { reason: Reason::NotJson, id: None }), ExtraMembers::new()),
        }
    }

    /// As `of_value`, with what else is in the envelope.
    pub(crate) fn of_value_with_extra(value: &'a RawValue) -> (Self, ExtraMembers<'a>) {
        let mut others = ExtraMembers::new();
        let message = Message::of_members(value, |name, value| others.push((name, value)));
        (message, others)
    }

    /// Tells what one JSON value is, and shows `other` the members that the specification does not name.
    fn of_members(value: &'a RawValue, mut other: impl FnMut(Cow<'a, str>, &'a RawValue)) -> Self {
        let mut envelope = Envelope::default();
        // SPEC §4: an envelope is an object; serde would read one from an array, too.
        match members::read(value.get(), |name, value| envelope.add(name, value, &mut other)) {
            Ok(()) => envelope.classify(),
            Err(_) => Message::Invalid(Invalid { reason: Reason::NotAnObject, id: None }),
        }
    }
}

/// Members of an envelope that the specification does not name, in their order.
pub(crate) type ExtraMembers<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// The members that the specification names.
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
    fn add(&mut self, name: &'a str, value: &'a RawValue, other: &mut impl FnMut(Cow<'a, str>, &'a RawValue)) {
        // A name that no Rust string can hold is the name of nothing.
        let Some(name) = unescape(name) else { return };
        let member = match &*name {
            "jsonrpc" => &mut self.version,
            "method" => &mut self.method,
            "params" => &mut self.params,
            "id" => &mut self.id,
            "result" => &mut self.result,
            "error" => &mut self.error,
            // Other members change nothing, repeated or not.
            _ => return other(name, value),
        };
        member.add(value);
    }

    fn classify(self) -> Message<'a> {
        let id = self.id.once().and_then(|id| Id::of_value(id.get()));
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
        // SPEC §4: only a request without an id member is a notification.
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
            // JSON-RPC 1.0 sends both members, one of them null.
            (None, Some(error)) => Err(error),
            (Some(result), Some(error)) if is_null(&result) => Err(error),
            (Some(_), Some(_)) => return Err(Reason::ResultAndError),
            (Some(result), None) => Ok(result),
            (None, None) => return Err(Reason::NeitherResultNorError),
        };
        let outcome = match outcome {
            Ok(result) => Ok(result),
            Err(error) => Err(ErrorObject::of_value(error)?),
        };
        Ok(Message::Response(Response { id, outcome }))
    }
}
