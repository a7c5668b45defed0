//! The pending call that a received message is a response to.

use crate::wire::{Id, Message, Reason};

/// The pending call that a message is a response to, as far as the message itself shows.
pub(crate) enum ResponseTarget<'m, 'a> {
    /// The call with this id.
    ById(&'m Id<'a>),
    /// A call that the response does not name. It is the pending call, if exactly one is pending.
    Unidentified,
    /// No call: the message is not a response.
    NotAResponse,
}

impl<'m, 'a> ResponseTarget<'m, 'a> {
    /// Classifies a message. A message with a method is not a response, whatever its id.
    pub(crate) fn from_message(message: &'m Message<'a>) -> Self {
        let (id, is_about_response, may_be_response) = match message {
            Message::Response(response) => (Some(&response.id), response.outcome.is_err(), true),
            Message::Invalid(invalid) => {
                let is_about_response = invalid.reason.is_about_response();
                (invalid.id.as_ref(), is_about_response, is_about_response || invalid.reason == Reason::NoMethod)
            }
            Message::Request(_) | Message::Notification(_) => return ResponseTarget::NotAResponse,
        };
        match id {
            // SPEC §5: an error response has the id null if the id of the request could not be read.
            Some(id) if id.is_null() && is_about_response => ResponseTarget::Unidentified,
            None if is_about_response => ResponseTarget::Unidentified,
            Some(id) if may_be_response => ResponseTarget::ById(id),
            Some(_) | None => ResponseTarget::NotAResponse,
        }
    }
}
