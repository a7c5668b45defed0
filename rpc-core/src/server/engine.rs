//! What every step of answering needs: the service, its rules, and who watches.

use super::call_context::CallContext;
use super::service::Service;
use crate::observe::{Event, MessageKind, show};
use crate::profile::LongBatch;
use crate::wire::{ErrorObject, Id, Message, Reason, first_call_id, write_error, write_parse_error};

/// A server for the time of one message.
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
    /// Shows an event to whoever watches.
    #[inline]
    pub(super) fn observe(&self, event: &Event<'_>) {
        if self.call_context.observer.is_some() {
            show(self.call_context.observer, event);
        }
    }

    /// Shows the answer to a message that is no batch; a notification has none.
    #[inline]
    pub(super) fn answered(&self, id: Option<&Id<'_>>, text: &[u8]) {
        if let Some(id) = id {
            self.observe(&Event::Responded { id, text });
        }
    }

    /// Appends the error that a message gets as a whole. True: an answer is owed.
    #[cold]
    pub(super) fn refuse_whole(&self, out: &mut Vec<u8>, message: &[u8], reason: Reason) -> bool {
        let is_garbage = matches!(reason, Reason::NotUtf8 | Reason::NotJson | Reason::TooDeep | Reason::TooLarge);
        let kind = if is_garbage { MessageKind::Unreadable } else { MessageKind::Invalid };
        self.observe(&Event::Received { kind, id: None, method: None, reason: Some(reason), text: message });
        // SPEC §5.1: the id is null when it could not be read.
        let start = out.len();
        match reason {
            Reason::NotJson => write_parse_error(out),
            _ => write_error(out, Id::NULL.as_token(), &reason.to_error()),
        }
        self.answered(Some(&Id::NULL), &out[start..]);
        true
    }

    /// Appends the error that a message gets as a whole that was read and shown. True: an answer is owed.
    #[cold]
    pub(super) fn answer_whole(&self, out: &mut Vec<u8>, error: &ErrorObject) -> bool {
        let start = out.len();
        write_error(out, Id::NULL.as_token(), error);
        self.answered(Some(&Id::NULL), &out[start..]);
        true
    }

    /// As `refuse_whole`, for a batch that was not read to its end, or has too many members.
    #[cold]
    pub(super) fn refuse_batch(&self, out: &mut Vec<u8>, text: &str, reason: Reason) -> bool {
        let profile = &self.call_context.config.profile;
        let (Reason::BatchTooLong, true, LongBatch::FirstCall(refusal)) =
            (reason, profile.batches, &profile.long_batch)
        else {
            return self.refuse_whole(out, text.as_bytes(), reason);
        };
        self.observe(&Event::Received {
            kind: MessageKind::Invalid,
            id: None,
            method: None,
            reason: Some(reason),
            text: text.as_bytes(),
        });
        let id = first_call_id(text).unwrap_or(Id::NULL);
        out.push(b'[');
        let start = out.len();
        write_error(out, id.as_token(), &refusal.to_error());
        self.answered(Some(&id), &out[start..]);
        out.push(b']');
        true
    }

    /// Shows a message that was read exactly.
    pub(super) fn show(&self, message: &Message<'_>, text: &[u8]) {
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
        self.observe(&Event::Received { kind, id, method, reason, text });
    }
}
