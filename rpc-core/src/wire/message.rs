//! What a message is, decided exactly: the reference that every faster reader must agree with.

use super::batch::Batch;
use super::error::ErrorObject;
use super::id::Id;
use super::members::{self, Member};
use super::request::{Notification, Request};
use super::response::Response;
use super::token::unescape;
use serde_json::value::RawValue;
use std::fmt;

/// The value of the member `jsonrpc` (§4).
pub(crate) const SPECIFICATION_VERSION: &str = "2.0";

/// One message as it came: a single one or a batch.
///
/// ```
/// use rpc_core::wire::{Incoming, Message};
///
/// let Incoming::Message(message) = Incoming::read(br#"{"jsonrpc":"2.0","method":1,"id":7}"#) else { panic!() };
/// let Message::Invalid(invalid) = message else { panic!() };
/// assert_eq!(invalid.id.as_ref().map(|id| id.as_token()), Some("7"));
/// assert_eq!(invalid.reason.to_string(), "`method` must be a string");
/// ```
#[derive(Clone, Debug)]
pub enum Incoming<'a> {
    /// A single message.
    Message(Message<'a>),
    /// An array of messages (§6).
    Batch(Batch<'a>),
}

impl<'a> Incoming<'a> {
    /// Tells what the whole of `message` is. Every input has an outcome; nothing is limited here
    /// but what the input's length limits.
    #[must_use]
    pub fn read(message: &'a [u8]) -> Self {
        let invalid = |reason| Incoming::Message(Message::Invalid(Invalid { reason, id: None }));
        let Ok(text) = std::str::from_utf8(message) else {
            return invalid(Reason::NotUtf8);
        };
        if !is_batch(text) {
            return Incoming::Message(Message::read(text));
        }
        match Batch::read(text) {
            Ok(batch) => Incoming::Batch(batch),
            Err(reason) => invalid(reason),
        }
    }
}

/// Whether the first thing in `text` opens an array.
pub(crate) fn is_batch(text: &str) -> bool {
    text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('[')
}

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
        let silent = self.reason.is_about_reply() || (self.reason == Reason::MethodUnreadable && self.id.is_none());
        // SPEC §5: the id is null when there was an error in detecting it.
        let id = self.id.clone().unwrap_or(Id::NULL);
        (!silent).then(|| Response { id, outcome: Err(self.reason.to_error()) })
    }
}

/// What is wrong with a message.
///
/// ```
/// use rpc_core::wire::Reason;
///
/// assert_eq!(Reason::NotJson.to_error().code, -32700);
/// assert!(Reason::ResultAndError.is_about_reply());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant is explained by what it displays")]
pub enum Reason {
    NotUtf8,
    NotJson,
    TooDeep,
    TooLarge,
    BatchTooLong,
    BatchEmpty,
    NotAnObject,
    MemberRepeated,
    Version,
    NoMethod,
    MethodNotString,
    MethodUnreadable,
    ParamsNotStructured,
    IdNotAllowed,
    ResultBesideMethod,
    ReplyMemberRepeated,
    ReplyWithoutId,
    ReplyIdNotAllowed,
    ResultAndError,
    NeitherResultNorError,
    ErrorNotObject,
    ErrorCodeNotInteger,
    ErrorMessageUnreadable,
}

impl Reason {
    /// Whether the message has the shape of an answer: such a message is never answered itself.
    #[must_use]
    pub fn is_about_reply(self) -> bool {
        matches!(
            self,
            Reason::ReplyMemberRepeated
                | Reason::ReplyWithoutId
                | Reason::ReplyIdNotAllowed
                | Reason::ResultAndError
                | Reason::NeitherResultNorError
                | Reason::ErrorNotObject
                | Reason::ErrorCodeNotInteger
                | Reason::ErrorMessageUnreadable
        )
    }

    /// The error that a server answers with.
    #[must_use]
    pub fn to_error(self) -> ErrorObject {
        match self {
            Reason::NotJson => ErrorObject::parse_error(),
            Reason::NotUtf8 | Reason::TooDeep => ErrorObject::parse_error().with_data(&self.to_string()),
            // A name that no Rust string can hold is the name of no method.
            Reason::MethodUnreadable => ErrorObject::method_not_found(),
            _ => ErrorObject::invalid_request(&self.to_string()),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::NotUtf8 => "the message is not UTF-8",
            Reason::NotJson => "the message is not JSON",
            Reason::TooDeep => "the message is nested too deeply",
            Reason::TooLarge => "the message is too large",
            Reason::BatchTooLong => "the batch has too many members",
            Reason::BatchEmpty => "a batch must have at least one member",
            Reason::NotAnObject => "a message must be an object",
            Reason::MemberRepeated => "`jsonrpc`, `method`, `params` and `id` may each come once",
            Reason::Version => "`jsonrpc` must be exactly \"2.0\"",
            Reason::NoMethod => "`method` is missing",
            Reason::MethodNotString => "`method` must be a string",
            Reason::MethodUnreadable => "`method` holds a lone surrogate",
            Reason::ParamsNotStructured => "`params` must be an array or an object",
            Reason::IdNotAllowed => "`id` must be a string, a number or null",
            Reason::ResultBesideMethod => "`method` cannot stand beside `result` or `error`",
            Reason::ReplyMemberRepeated => "a member of the reply is repeated",
            Reason::ReplyWithoutId => "the reply has no `id`",
            Reason::ReplyIdNotAllowed => "the `id` of the reply is no string, number or null",
            Reason::ResultAndError => "the reply has both `result` and `error`",
            Reason::NeitherResultNorError => "the reply has neither `result` nor `error`",
            Reason::ErrorNotObject => "the `error` of the reply is no object",
            Reason::ErrorCodeNotInteger => "the error's `code` is no integer",
            Reason::ErrorMessageUnreadable => "the error's `message` is no string",
        })
    }
}
impl std::error::Error for Reason {}

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
        let mut envelope = Envelope::default();
        // SPEC §4: an envelope is an object; serde would read one from an array, too.
        match members::read(value.get(), |name, value| envelope.add(name, value)) {
            Ok(()) => envelope.classify(),
            Err(_) => Message::Invalid(Invalid { reason: Reason::NotAnObject, id: None }),
        }
    }
}

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
    fn add(&mut self, name: &'a str, value: &'a RawValue) {
        let member = match unescape(name).as_deref() {
            Some("jsonrpc") => &mut self.version,
            Some("method") => &mut self.method,
            Some("params") => &mut self.params,
            Some("id") => &mut self.id,
            Some("result") => &mut self.result,
            Some("error") => &mut self.error,
            // Other members are ignored, repeated or not.
            _ => return,
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
            return Err(Reason::ReplyMemberRepeated);
        }
        if !self.id.is_present() {
            return Err(Reason::ReplyWithoutId);
        }
        let id = id.ok_or(Reason::ReplyIdNotAllowed)?;
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

fn is_version(token: &str) -> bool {
    token.starts_with('"') && unescape(token).as_deref() == Some(SPECIFICATION_VERSION)
}
