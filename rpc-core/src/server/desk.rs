//! What every step of answering needs: the service, its rules, and who watches.

use super::around::Around;
use super::local::LocalService;
use super::rules::Rules;
use crate::observe::{Event, Kind, show};
use crate::profile::LongBatch;
use crate::wire::{ErrorObject, Id, Message, Reason, first_call, write_error, write_parse_error};

/// A server for the time of one message.
pub(super) struct Desk<'s, S: LocalService> {
    pub(super) service: &'s S,
    pub(super) rules: &'s Rules,
    pub(super) around: &'s Around<'s>,
}

impl<S: LocalService> Clone for Desk<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: LocalService> Copy for Desk<'_, S> {}

impl<S: LocalService> Desk<'_, S> {
    /// Shows an event to whoever watches.
    #[inline]
    pub(super) fn observe(&self, event: &Event<'_>) {
        if self.around.observer.is_some() {
            show(self.around.observer, event);
        }
    }

    /// Shows the answer to a message that is no batch; a notification has none.
    #[inline]
    pub(super) fn answered(&self, id: Option<&Id<'_>>, text: &[u8]) {
        if let Some(id) = id {
            self.observe(&Event::Answered { id, text });
        }
    }

    /// Appends the error that a message gets as a whole. True: an answer is owed.
    #[cold]
    pub(super) fn refuse_whole(&self, out: &mut Vec<u8>, message: &[u8], reason: Reason) -> bool {
        let is_garbage = matches!(reason, Reason::NotUtf8 | Reason::NotJson | Reason::TooDeep | Reason::TooLarge);
        let kind = if is_garbage { Kind::Garbage } else { Kind::Invalid };
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
        let profile = &self.rules.profile;
        let (Reason::BatchTooLong, true, LongBatch::FirstCall(refusal)) =
            (reason, profile.batches, &profile.long_batch)
        else {
            return self.refuse_whole(out, text.as_bytes(), reason);
        };
        self.observe(&Event::Received {
            kind: Kind::Invalid,
            id: None,
            method: None,
            reason: Some(reason),
            text: text.as_bytes(),
        });
        let id = first_call(text).unwrap_or(Id::NULL);
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
            Message::Request(request) => (Kind::Call, Some(&request.id), Some(&*request.method), None),
            Message::Notification(notification) => (Kind::Notification, None, Some(&*notification.method), None),
            Message::Response(response) => (Kind::Reply, Some(&response.id), None, None),
            Message::Invalid(invalid) => {
                let kind = match invalid.reason {
                    Reason::NotJson => Kind::Garbage,
                    reason if reason.is_about_reply() => Kind::Reply,
                    _ => Kind::Invalid,
                };
                (kind, invalid.id.as_ref(), None, Some(invalid.reason))
            }
        };
        self.observe(&Event::Received { kind, id, method, reason, text });
    }
}
