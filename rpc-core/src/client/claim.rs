//! Which call of ours a message from the other side can belong to.

use crate::wire::{Id, Message, Reason};

/// The call that a message belongs to, as far as the message itself says.
pub(crate) enum Claim<'m, 'a> {
    /// The call of this id.
    Named(&'m Id<'a>),
    /// A reply to a call that it does not name: to the only one there is, if it is the only one.
    Unnamed,
    /// None: it is no reply.
    None,
}

impl<'m, 'a> Claim<'m, 'a> {
    /// Looks at a message. One that names a method is no reply, whatever its id.
    pub(crate) fn of(message: &'m Message<'a>) -> Self {
        let (id, is_about_reply, may_be_reply) = match message {
            Message::Response(response) => (Some(&response.id), response.outcome.is_err(), true),
            Message::Invalid(invalid) => {
                let is_about_reply = invalid.reason.is_about_reply();
                (invalid.id.as_ref(), is_about_reply, is_about_reply || invalid.reason == Reason::NoMethod)
            }
            Message::Request(_) | Message::Notification(_) => return Claim::None,
        };
        match id {
            // SPEC §5: the id is null where it could not be read.
            None => {
                if is_about_reply {
                    Claim::Unnamed
                } else {
                    Claim::None
                }
            }
            Some(id) if id.is_null() && is_about_reply => Claim::Unnamed,
            Some(id) if may_be_reply => Claim::Named(id),
            Some(_) => Claim::None,
        }
    }
}
