//! Which call of ours a message from the other side can belong to.

use crate::wire::{Id, Message, Reason};

/// The call that a message belongs to, as far as the message itself says.
pub(crate) enum ResponseTarget<'m, 'a> {
    /// The call of this id.
    ById(&'m Id<'a>),
    /// A reply to a call that it does not name: to the only one there is, if it is the only one.
    Unidentified,
    /// None: it is no reply.
    NotAResponse,
}

impl<'m, 'a> ResponseTarget<'m, 'a> {
    /// Looks at a message. One that names a method is no reply, whatever its id.
    pub(crate) fn of(message: &'m Message<'a>) -> Self {
        let (id, is_about_response, may_be_reply) = match message {
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
            Some(id) if may_be_reply => ResponseTarget::ById(id),
            Some(_) => ResponseTarget::NotAResponse,
        }
    }
}
