//! The encoded messages of a batch, and their responses.

use super::outgoing::Outgoing;
use super::response_target::ResponseTarget;
use super::timeout_policy::TimeoutPolicy;
use crate::error::{ClientError, ProtocolError};
use crate::wire::{Id, Incoming, Message, Response};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// The outcome of a batch: the texts of the responses, in the order of the calls, or an error of the whole
/// batch.
pub type BatchResponses = Result<Vec<Result<String, ClientError>>, ClientError>;

/// Returns the failure of a call whose response is missing in the response to its batch. A batch can have
/// many such calls, so each holds only the beginning of the text.
pub(super) fn missing_response(text: &str) -> ProtocolError {
    const MAX_CHARS: usize = 200;
    let text = match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    ProtocolError { reason: "the response to the batch omits this call".into(), text }
}

/// Returns whether a message is an error response under the id null.
fn is_rejection(message: &Message<'_>) -> bool {
    matches!(message, Message::Response(Response { id, outcome: Err(_) }) if id.is_null())
}

/// The encoded calls and notifications of a batch, which is sent as one array (§6).
///
/// ```
/// use rpc_core::client::{Outgoing, OutgoingBatch};
/// use rpc_core::wire::Id;
///
/// let mut batch = OutgoingBatch::new();
/// batch.call(Outgoing::new("add", &[1, 2])?);
/// batch.notify(Outgoing::new("log", &["added"])?);
/// let mut ids = 1_u64..;
/// let sent = batch.encode(|| Id::from(ids.next().unwrap_or_default()));
/// let call = r#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#;
/// let notification = r#"{"jsonrpc":"2.0","method":"log","params":["added"]}"#;
/// assert_eq!(sent.text(), format!("[{call},{notification}]"));
///
/// let responses = sent.pair(r#"[{"jsonrpc":"2.0","result":3,"id":1}]"#)?;
/// assert_eq!(responses[0].as_deref().ok(), Some(r#"{"jsonrpc":"2.0","result":3,"id":1}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OutgoingBatch {
    members: Vec<Member>,
    timeout_policy: TimeoutPolicy,
}

#[derive(Clone, Debug)]
enum Member {
    Call(Outgoing),
    Notification(Outgoing),
}

impl OutgoingBatch {
    /// Returns an empty batch. It must not be sent empty: the response to that is an error (§6).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a call.
    pub fn call(&mut self, outgoing: Outgoing) {
        self.members.push(Member::Call(outgoing));
    }

    /// Adds a notification.
    pub fn notify(&mut self, outgoing: Outgoing) {
        self.members.push(Member::Notification(outgoing));
    }

    /// Returns whether the batch has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the number of calls among the members.
    #[must_use]
    pub fn call_count(&self) -> usize {
        self.members.iter().filter(|member| matches!(member, Member::Call(_))).count()
    }

    /// Returns whether all members are calls that are safe to repeat.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.members.iter().all(|member| matches!(member, Member::Call(outgoing) if outgoing.is_idempotent()))
    }

    /// Sets the timeout of the batch. With `None` it waits without limit.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout_policy = TimeoutPolicy::explicit(timeout);
    }

    pub(super) fn set_timeout_policy(&mut self, policy: TimeoutPolicy) {
        self.timeout_policy = policy;
    }

    /// Returns the timeout of the batch: its own, or else the longest of its methods, where a method without
    /// the option counts with `default`. `None` means no timeout.
    #[must_use]
    pub fn timeout_or(&self, default: Option<Duration>) -> Option<Duration> {
        let timeouts = self.members.iter().filter_map(|member| match member {
            Member::Call(outgoing) => Some(outgoing.method_timeout_or(default)),
            Member::Notification(_) => None,
        });
        let longest = timeouts.reduce(|one, other| one.zip(other).map(|(one, other)| one.max(other)));
        self.timeout_policy.or(longest.unwrap_or(default))
    }

    /// Returns the explicit id of each call, `None` for a call without one.
    pub(crate) fn explicit_ids(&self) -> impl Iterator<Item = Option<&Id<'static>>> {
        self.members.iter().filter_map(|member| match member {
            Member::Call(outgoing) => Some(outgoing.id()),
            Member::Notification(_) => None,
        })
    }

    /// Removes the explicit ids.
    pub(super) fn without_id(mut self) -> Self {
        let without_id = |member| match member {
            Member::Call(outgoing) => Member::Call(outgoing.without_id()),
            Member::Notification(outgoing) => Member::Notification(outgoing.without_id()),
        };
        self.members = self.members.into_iter().map(without_id).collect();
        self
    }

    /// Encodes the array. `next_id` returns the ids of the calls without an explicit one. An id that is
    /// explicit in the batch is skipped.
    pub fn encode(self, mut next_id: impl FnMut() -> Id<'static>) -> SentBatch {
        let explicit: HashSet<Id<'static>> = self.explicit_ids().flatten().cloned().collect();
        let mut next_id = || loop {
            let id = next_id();
            if !explicit.contains(&id) {
                return id;
            }
        };
        let (mut text, mut ids) = (String::from("["), Vec::new());
        for member in self.members {
            if text.len() > 1 {
                text.push(',');
            }
            match member {
                Member::Call(outgoing) => {
                    let id = outgoing.id().cloned().unwrap_or_else(&mut next_id);
                    text.push_str(&outgoing.into_request(&id));
                    ids.push(id);
                }
                Member::Notification(outgoing) => text.push_str(&outgoing.into_notification()),
            }
        }
        text.push(']');
        SentBatch { text, ids }
    }
}

/// An encoded batch: its text, and the ids of its calls. The example is at [`OutgoingBatch`].
#[derive(Clone, Debug)]
pub struct SentBatch {
    text: String,
    ids: Vec<Id<'static>>,
}

impl SentBatch {
    /// Returns the text to send.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Returns the ids of the calls, in their order. A batch without calls gets no response.
    #[must_use]
    pub fn ids(&self) -> &[Id<'static>] {
        &self.ids
    }

    /// Pairs the responses in `text` with the calls, in any order of responses.
    ///
    /// A call without a response fails with [`ClientError::Protocol`]. Responses with unknown ids, and second
    /// responses to a call, are ignored. If the batch has no calls, `text` is ignored.
    ///
    /// # Errors
    ///
    /// [`ClientError::Rpc`] if the peer rejected the batch as a whole: with one error response under the id
    /// null, alone or in an array. [`ClientError::Protocol`] if the text is neither an array nor the response
    /// to one of the calls.
    pub fn pair(&self, text: &str) -> BatchResponses {
        let invalid = || {
            let reason = "not the response to a batch";
            ClientError::Protocol(ProtocolError { reason: reason.into(), text: text.to_owned() })
        };
        if self.ids.is_empty() {
            return Ok(Vec::new());
        }
        let (mut messages, is_array) = match Incoming::read_with_texts(text.as_bytes()) {
            Ok(members) => (members, true),
            Err(Message::Response(response)) if response.id.is_null() => match response.outcome {
                Err(object) => return Err(ClientError::Rpc(object)),
                Ok(_) => return Err(invalid()),
            },
            Err(single) => (vec![(single, text)], false),
        };
        if let [(message, _)] = &messages[..]
            && self.ids.len() > 1
            && is_rejection(message)
            && let Some((Message::Response(Response { outcome: Err(object), .. }), _)) = messages.pop()
        {
            return Err(ClientError::Rpc(object));
        }
        let indices: HashMap<_, _> = self.ids.iter().enumerate().rev().map(|(index, id)| (id, index)).collect();
        let mut responses: Vec<Option<&str>> = vec![None; self.ids.len()];
        let mut unidentified = None;
        for (message, text) in &messages {
            match ResponseTarget::from_message(message) {
                ResponseTarget::ById(id) => {
                    if let Some(index) = indices.get(id) {
                        responses[*index].get_or_insert(text);
                    }
                }
                ResponseTarget::Unidentified => {
                    unidentified.get_or_insert(*text);
                }
                ResponseTarget::NotAResponse => {}
            }
        }
        if !is_array && responses.iter().all(Option::is_none) {
            return Err(invalid());
        }
        // A response that names no call belongs to the only call without one.
        let mut without_response = responses.iter_mut().filter(|response| response.is_none());
        if let (Some(only), None) = (without_response.next(), without_response.next()) {
            *only = unidentified;
        }
        let missing = || ClientError::Protocol(missing_response(text));
        Ok(responses.into_iter().map(|response| response.map(str::to_owned).ok_or_else(missing)).collect())
    }
}
