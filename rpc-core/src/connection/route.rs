//! The destination of a message: pending calls of this side, or the service.

use crate::client::ResponseTarget;
use crate::profile::Profile;
use crate::wire::{Id, Incoming, Message};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The destination of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// The service: a request, a notification, or a message that gets an error.
    Service,
    /// The pending call of this number.
    Call(u64),
    /// Pending calls.
    Calls,
    /// A batch of several: its responses and its other members, each as an array of its own, and the ids that its
    /// cancel notifications name.
    Mixed { responses: Option<Vec<u8>>, rest: Option<Vec<u8>>, cancels: Vec<Id<'static>> },
    /// The service's calls under this id, which are cancelled.
    Cancel(Id<'static>),
}

/// The bytes that a cancel notification may have.
const MAX_CANCEL_BYTES: usize = 1 << 12;

impl Route {
    /// Routes a message. A batch with more than `max_members` members has no effect, but an array of responses may have
    /// one for each of the `pending` calls. With `is_observed`, every response is read whole.
    pub(super) fn new(
        message: &[u8],
        profile: &Profile,
        max_members: usize,
        pending: impl FnOnce() -> usize,
        is_observed: bool,
    ) -> Self {
        let Ok(text) = std::str::from_utf8(message) else { return Route::Service };
        if let Some(id) = cancel_of_text(text, profile) {
            return Route::Cancel(id);
        }
        // Nearly every message begins in one of these ways.
        if text.starts_with(r#"{"jsonrpc":"2.0","method":""#) {
            return Route::Service;
        }
        if !is_observed && let Some(number) = result_number(text) {
            return Route::Call(number);
        }
        match Incoming::read_up_to(message, max_members.max(pending())) {
            Err(single) => match ResponseTarget::from_message(&single) {
                ResponseTarget::ById(_) | ResponseTarget::Unidentified => Route::Calls,
                ResponseTarget::NotAResponse => Route::Service,
            },
            Ok(members) => Route::of_members(members, profile, max_members),
        }
    }

    fn of_members(members: Vec<(Message<'_>, &str)>, profile: &Profile, max_members: usize) -> Self {
        let is_response =
            |message: &Message<'_>| !matches!(ResponseTarget::from_message(message), ResponseTarget::NotAResponse);
        let may_cancel = members.len() <= max_members;
        let (count, mut cancels, mut rest) = (members.len(), Vec::new(), Vec::new());
        let (responses, others): (Vec<_>, Vec<_>) = members.into_iter().partition(|(message, _)| is_response(message));
        for (message, text) in others {
            match cancel_of(&message, profile).filter(|_| may_cancel) {
                Some(id) => cancels.push(id),
                None => rest.push((message, text)),
            }
        }
        if rest.len() == count {
            Route::Service
        } else if responses.len() == count {
            Route::Calls
        } else {
            Route::Mixed { responses: array(&responses), rest: array(&rest), cancels }
        }
    }
}

fn array(members: &[(Message<'_>, &str)]) -> Option<Vec<u8>> {
    let texts: Vec<_> = members.iter().map(|(_, text)| *text).collect();
    (!texts.is_empty()).then(|| format!("[{}]", texts.join(",")).into_bytes())
}

/// Returns the number of the call that a result is for, if the response has the form that most servers write.
fn result_number(text: &str) -> Option<u64> {
    let result = text.strip_prefix(r#"{"jsonrpc":"2.0","result":"#)?;
    let mut deserializer = serde_json::Deserializer::from_str(result);
    IgnoredAny::deserialize(&mut deserializer).ok()?;
    let tail = result.get(deserializer.into_iter::<IgnoredAny>().byte_offset()..)?;
    let id = tail.strip_prefix(r#","id":"#)?.strip_suffix('}')?;
    (id.bytes().all(|byte| byte.is_ascii_digit()) && (id == "0" || !id.starts_with('0'))).then(|| id.parse().ok())?
}

/// Returns the id that a message cancels, if it is the profile's cancel notification.
fn cancel_of_text(text: &str, profile: &Profile) -> Option<Id<'static>> {
    let cancel = profile.cancel.as_ref()?;
    if text.len() > MAX_CANCEL_BYTES || !text.contains(&*cancel.method) {
        return None;
    }
    cancel_of(&Message::read(text), profile)
}

fn cancel_of(message: &Message<'_>, profile: &Profile) -> Option<Id<'static>> {
    let cancel = profile.cancel.as_ref()?;
    let Message::Notification(notification) = message else { return None };
    if notification.method != cancel.method {
        return None;
    }
    let params: HashMap<String, &RawValue> = serde_json::from_str(notification.params?.get()).ok()?;
    Id::from_token(params.get(&*cancel.id)?.get()).ok().map(Id::into_owned)
}
