//! What a message is for: the calls of this side, or the service.

use crate::client::ResponseTarget;
use crate::profile::Profile;
use crate::wire::{Id, Incoming, Message};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// What a message is for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// The service: a request, or something that is to be answered with an error.
    Service,
    /// The call of this number.
    Call(u64),
    /// Calls of ours.
    Calls,
    /// An array of several: arrays of the replies and of what is for the service, as far as there are such; and
    /// the ids of the service's calls that are given up.
    Mixed { responses: Option<Vec<u8>>, rest: Option<Vec<u8>>, cancels: Vec<Id<'static>> },
    /// The service's calls under this id, which are given up.
    Cancel(Id<'static>),
}

/// A message that cancels a call is no longer than this.
const LONGEST_CANCEL: usize = 1 << 12;

impl Route {
    /// Sorts a message; of a batch with more than `most` members nothing takes effect, but an array may have as many
    /// replies as there are `open` calls. `exactly`: somebody watches, and wants every reply to be read whole.
    pub(super) fn of(
        message: &[u8],
        profile: &Profile,
        most: usize,
        open: impl FnOnce() -> usize,
        exactly: bool,
    ) -> Self {
        let Ok(text) = std::str::from_utf8(message) else { return Route::Service };
        if let Some(id) = cancelled(text, profile) {
            return Route::Cancel(id);
        }
        // Nearly every message begins in one of these ways.
        if text.starts_with(r#"{"jsonrpc":"2.0","method":""#) {
            return Route::Service;
        }
        if !exactly && let Some(number) = answered(text) {
            return Route::Call(number);
        }
        match Incoming::read_up_to(message, most.max(open())) {
            Err(single) => match ResponseTarget::of(&single) {
                ResponseTarget::ById(_) | ResponseTarget::Unidentified => Route::Calls,
                ResponseTarget::NotAResponse => Route::Service,
            },
            Ok(members) => {
                let is_response =
                    |message: &Message<'_>| !matches!(ResponseTarget::of(message), ResponseTarget::NotAResponse);
                let may_cancel = members.len() <= most;
                let (count, mut cancels, mut rest) = (members.len(), Vec::new(), Vec::new());
                let (responses, others): (Vec<_>, Vec<_>) =
                    members.into_iter().partition(|(message, _)| is_response(message));
                for (message, text) in others {
                    match named(&message, profile).filter(|_| may_cancel) {
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
    }
}

fn array(members: &[(Message<'_>, &str)]) -> Option<Vec<u8>> {
    let texts: Vec<_> = members.iter().map(|(_, text)| *text).collect();
    (!texts.is_empty()).then(|| format!("[{}]", texts.join(",")).into_bytes())
}

/// The number of the call that a result is for, as most servers write it.
fn answered(text: &str) -> Option<u64> {
    let result = text.strip_prefix(r#"{"jsonrpc":"2.0","result":"#)?;
    let mut deserializer = serde_json::Deserializer::from_str(result);
    IgnoredAny::deserialize(&mut deserializer).ok()?;
    let tail = result.get(deserializer.into_iter::<IgnoredAny>().byte_offset()..)?;
    let id = tail.strip_prefix(r#","id":"#)?.strip_suffix('}')?;
    (id.bytes().all(|byte| byte.is_ascii_digit()) && (id == "0" || !id.starts_with('0'))).then(|| id.parse().ok())?
}

/// The id of the call that is given up, if the message is the profile's notification for that.
fn cancelled(text: &str, profile: &Profile) -> Option<Id<'static>> {
    let cancel = profile.cancel.as_ref()?;
    if text.len() > LONGEST_CANCEL || !text.contains(&*cancel.method) {
        return None;
    }
    named(&Message::read(text), profile)
}

/// The id of the call that a message gives up.
fn named(message: &Message<'_>, profile: &Profile) -> Option<Id<'static>> {
    let cancel = profile.cancel.as_ref()?;
    let Message::Notification(notification) = message else { return None };
    if notification.method != cancel.method {
        return None;
    }
    let params: HashMap<String, &RawValue> = serde_json::from_str(notification.params?.get()).ok()?;
    Id::from_token(params.get(&*cancel.id)?.get()).ok().map(Id::into_owned)
}
