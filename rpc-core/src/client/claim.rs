//! Which call of ours a message from the other side can belong to.

use crate::wire::{Id, Message, Reason};

/// The call that a message belongs to, as far as the message itself says.
pub(super) enum Claim<'m, 'a> {
    /// The call of this id.
    Named(&'m Id<'a>),
    /// A reply to a call that it does not name: to the only one there is, if it is the only one.
    Unnamed,
    /// None: it is no reply.
    None,
}

impl<'m, 'a> Claim<'m, 'a> {
    /// Looks at a message. One that names a method is no reply, whatever its id.
    pub(super) fn of(message: &'m Message<'a>) -> Self {
        match message {
            Message::Response(response) if response.id.is_null() && response.outcome.is_err() => Claim::Unnamed,
            Message::Response(response) => Claim::Named(&response.id),
            Message::Invalid(invalid) => {
                let is_about_reply = invalid.reason.is_about_reply();
                match &invalid.id {
                    Some(id) if !id.is_null() && (is_about_reply || invalid.reason == Reason::NoMethod) => {
                        Claim::Named(id)
                    }
                    None => {
                        if is_about_reply {
                            Claim::Unnamed
                        } else {
                            Claim::None
                        }
                    }
                    Some(id) => {
                        if is_about_reply && id.is_null() {
                            Claim::Unnamed
                        } else {
                            Claim::None
                        }
                    }
                }
            }
            Message::Request(_) | Message::Notification(_) => Claim::None,
        }
    }
}
