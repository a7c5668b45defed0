//! The call that a received message belongs to.

use crate::wire::{Id, Message, Reason};

/// The call that a message belongs to, according to the message alone.
pub(crate) enum ResponseTarget<'m, 'a> {
    /// The call with this id.
    ById(&'m Id<'a>),
    /// A response without a usable id. It belongs to the only pending call, if there is only one.
    Unidentified,
    /// No call: the message is not a response.
    NotAResponse,
}

impl<'m, 'a> ResponseTarget<'m, 'a> {
    /// Returns the target of a message. A message with a method is not a response, whatever its id.
    pub(crate) fn new(message: &'m Message<'a>) -> Self {
        let (id, is_about_response, can_be_response) = match message {
            Message::Response(response) => (Some(&response.id), response.outcome.is_err(), true),
            Message::Invalid(invalid) => {
                let is_about_response = invalid.reason.is_about_response();
                (invalid.id.as_ref(), is_about_response, is_about_response || invalid.reason == Reason::NoMethod)
            }
            Message::Request(_) | Message::Notification(_) => return ResponseTarget::NotAResponse,
        };
        match id {
            // SPEC §5: the id is null where it could not be read.
            None => {
                if is_about_response {
                    ResponseTarget::Unidentified
                } else {
                    ResponseTarget::NotAResponse
                }
            }
            Some(id) if id.is_null() && is_about_response => ResponseTarget::Unidentified,
            Some(id) if can_be_response => ResponseTarget::ById(id),
            Some(_) => ResponseTarget::NotAResponse,
        }
    }
}
