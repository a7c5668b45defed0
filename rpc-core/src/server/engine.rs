//! The service and the context of one message, with the responses that concern the message as a whole.

use super::call_context::CallContext;
use super::service::Service;
use crate::observe::{EventKind, MessageKind};
use crate::profile::LongBatch;
use crate::wire::{ErrorObject, Id, Message, Reason, first_call_id, write_error, write_parse_error};

/// A borrowed server, for one message.
pub(super) struct Engine<'s, S: Service> {
    pub(super) service: &'s S,
    pub(super) call_context: &'s CallContext<'s>,
}

impl<S: Service> Clone for Engine<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Service> Copy for Engine<'_, S> {}

impl<S: Service> Engine<'_, S> {
    #[inline]
    pub(super) fn observe(&self, event: EventKind<'_>) {
        self.call_context.observer.show(event);
    }

    /// Shows the response to a single message. A notification has no id and no response.
    #[inline]
    pub(super) fn observe_response(&self, id: Option<&Id<'_>>, text: &[u8]) {
        if let Some(id) = id {
            self.observe(EventKind::Responded { id, text });
        }
    }

    /// Appends the error for a message that is rejected as a whole. Returns true: there is a response.
    #[cold]
    pub(super) fn reject_message(&self, out: &mut Vec<u8>, message: &[u8], reason: Reason) -> bool {
        let is_unreadable = matches!(reason, Reason::NotUtf8 | Reason::NotJson | Reason::TooDeep | Reason::TooLarge);
        let kind = if is_unreadable { MessageKind::Unreadable } else { MessageKind::Invalid };
        self.observe(EventKind::Received { kind, id: None, method: None, reason: Some(reason), text: message });
        // SPEC §5: the id is null if it could not be detected.
        let start = out.len();
        match reason {
            Reason::NotJson => write_parse_error(out),
            _ => write_error(out, Id::NULL.as_token(), &reason.to_error()),
        }
        self.observe_response(Some(&Id::NULL), &out[start..]);
        true
    }

    /// As `reject_message`, for a message whose parts were already shown to the observer.
    #[cold]
    pub(super) fn reject_with_error(&self, out: &mut Vec<u8>, error: &ErrorObject) -> bool {
        let start = out.len();
        write_error(out, Id::NULL.as_token(), error);
        self.observe_response(Some(&Id::NULL), &out[start..]);
        true
    }

    /// As `reject_message`, for a batch that is invalid or has too many members.
    #[cold]
    pub(super) fn reject_batch(&self, out: &mut Vec<u8>, text: &str, reason: Reason) -> bool {
        let profile = &self.call_context.config.profile;
        let (Reason::BatchTooLong, true, LongBatch::FirstCall(rejection)) =
            (reason, profile.batches, &profile.long_batch)
        else {
            return self.reject_message(out, text.as_bytes(), reason);
        };
        self.observe(EventKind::Received {
            kind: MessageKind::Invalid,
            id: None,
            method: None,
            reason: Some(reason),
            text: text.as_bytes(),
        });
        let id = first_call_id(text).unwrap_or(Id::NULL);
        out.push(b'[');
        let start = out.len();
        write_error(out, id.as_token(), &rejection.to_error());
        self.observe_response(Some(&id), &out[start..]);
        out.push(b']');
        true
    }

    pub(super) fn observe_message(&self, message: &Message<'_>, text: &[u8]) {
        let (kind, id, method, reason) = match message {
            Message::Request(request) => (MessageKind::Request, Some(&request.id), Some(&*request.method), None),
            Message::Notification(notification) => (MessageKind::Notification, None, Some(&*notification.method), None),
            Message::Response(response) => (MessageKind::Response, Some(&response.id), None, None),
            Message::Invalid(invalid) => {
                let kind = match invalid.reason {
                    Reason::NotJson => MessageKind::Unreadable,
                    reason if reason.is_about_response() => MessageKind::Response,
                    _ => MessageKind::Invalid,
                };
                (kind, invalid.id.as_ref(), None, Some(invalid.reason))
            }
        };
        self.observe(EventKind::Received { kind, id, method, reason, text });
    }
}
