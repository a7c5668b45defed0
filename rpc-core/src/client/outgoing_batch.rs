//! An outgoing batch, and the pairing of its responses.

use super::outgoing::Outgoing;
use super::response_target::ResponseTarget;
use super::timeout_policy::TimeoutPolicy;
use crate::error::{ClientError, ProtocolError};
use crate::wire::{Id, Incoming, Message, Response};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// The responses to the calls of a batch, in the order of the calls, or the error of the whole batch.
pub type BatchResponses = Result<Vec<Result<String, ClientError>>, ClientError>;

/// Returns the error of a call without a response in the response to its batch. It has only the first characters of the
/// text, since many calls can share it.
pub(super) fn missing_response(text: &str) -> ProtocolError {
    const PREFIX: usize = 200;
    let text = match text.char_indices().nth(PREFIX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    ProtocolError { reason: "the response to the batch has no response to this call".into(), text }
}

/// Calls and notifications to be sent as one array (§6).
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
/// assert_eq!(
///     sent.text(),
///     r#"[{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1},{"jsonrpc":"2.0","method":"log","params":["added"]}]"#,
/// );
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
    /// Creates an empty batch. It must not be sent empty: the response would be an error (§6).
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

    /// Returns `true` if the batch has no messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the number of calls, which is the number of responses.
    #[must_use]
    pub fn call_count(&self) -> usize {
        self.members.iter().filter(|member| matches!(member, Member::Call(_))).count()
    }

    /// Returns whether the batch consists of idempotent calls only.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.members.iter().all(|member| matches!(member, Member::Call(outgoing) if outgoing.is_idempotent()))
    }

    /// Sets the timeout of the batch. With `None` it waits without limit.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout_policy = TimeoutPolicy::Explicit(timeout);
    }

    /// Returns the timeout of the batch, or else the longest of its calls' methods, where `default_timeout` stands for
    /// methods without one.
    #[must_use]
    pub fn timeout_or(&self, default_timeout: Option<Duration>) -> Option<Duration> {
        let calls = self.members.iter().filter_map(|member| match member {
            Member::Call(outgoing) => Some(outgoing.method_timeout_or(default_timeout)),
            Member::Notification(_) => None,
        });
        // No limit is longer than any limit.
        let longest = calls.reduce(|one, other| one.zip(other).map(|(one, other)| one.max(other)));
        self.timeout_policy.or(longest.unwrap_or(default_timeout))
    }

    /// Returns the own id of each call.
    pub(crate) fn explicit_ids(&self) -> impl Iterator<Item = Option<&Id<'static>>> {
        self.members.iter().filter_map(|member| match member {
            Member::Call(outgoing) => Some(outgoing.id()),
            Member::Notification(_) => None,
        })
    }

    /// Removes the calls' own ids.
    pub(super) fn without_id(mut self) -> Self {
        let without_id = |member| match member {
            Member::Call(outgoing) => Member::Call(outgoing.without_id()),
            Member::Notification(outgoing) => Member::Notification(outgoing.without_id()),
        };
        self.members = self.members.into_iter().map(without_id).collect();
        self
    }

    /// Encodes the batch. `next_id` returns an id for each call without its own; ids that another call of the batch has
    /// as its own are skipped.
    pub fn encode(self, mut next_id: impl FnMut() -> Id<'static>) -> SentBatch {
        let explicit_ids: HashSet<Id<'static>> = self.explicit_ids().flatten().cloned().collect();
        let mut next_id = || loop {
            let id = next_id();
            if !explicit_ids.contains(&id) {
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

/// An encoded batch, which pairs the responses with its calls. The example is at [`OutgoingBatch`].
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

    /// Returns the text to send.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Returns the ids of the calls, in order. Without any, the batch has no response.
    #[must_use]
    pub fn ids(&self) -> &[Id<'static>] {
        &self.ids
    }

    /// Pairs the responses in `text`, in any order, with the calls. A call without a response gets a
    /// [protocol error](ClientError::Protocol). Responses with an unknown id and duplicates are ignored. Without calls,
    /// any text is accepted.
    ///
    /// # Errors
    ///
    /// [`ClientError::Rpc`] if the whole batch was rejected, with one error under the id null, in an array or not;
    /// [`ClientError::Protocol`] if the text is neither an array nor a response to one of the calls.
    pub fn pair(&self, text: &str) -> BatchResponses {
        let unreadable = |reason: &'static str| {
            ClientError::Protocol(ProtocolError { reason: reason.into(), text: text.to_owned() })
        };
        if self.ids.is_empty() {
            return Ok(Vec::new());
        }
        let (mut messages, is_array) = match Incoming::read_with_texts(text.as_bytes()) {
            Ok(members) => (members, true),
            Err(Message::Response(response)) if response.id.is_null() => match response.outcome {
                Err(object) => return Err(ClientError::Rpc(object)),
                Ok(_) => return Err(unreadable("not a response to a batch")),
            },
            Err(single) => (vec![(single, text)], false),
        };
        let is_rejection = |message: &Message<'_>| matches!(message, Message::Response(Response { id, outcome: Err(_) }) if id.is_null());
        if let [(message, _)] = &messages[..]
            && self.ids.len() > 1
            && is_rejection(message)
            && let Some((Message::Response(Response { outcome: Err(object), .. }), _)) = messages.pop()
        {
            return Err(ClientError::Rpc(object));
        }
        let positions: HashMap<_, _> = self.ids.iter().enumerate().rev().map(|(position, id)| (id, position)).collect();
        let mut responses: Vec<Option<&str>> = vec![None; self.ids.len()];
        let mut unidentified = None;
        for (message, text) in &messages {
            match ResponseTarget::new(message) {
                ResponseTarget::ById(id) => {
                    if let Some(position) = positions.get(id) {
                        responses[*position].get_or_insert(text);
                    }
                }
                ResponseTarget::Unidentified => {
                    unidentified.get_or_insert(*text);
                }
                ResponseTarget::NotAResponse => {}
            }
        }
        if !is_array && responses.iter().all(Option::is_none) {
            return Err(unreadable("not a response to a batch"));
        }
        // A response without an id belongs to the only call without a response.
        let mut open = responses.iter_mut().filter(|response| response.is_none());
        if let (Some(only), None) = (open.next(), open.next()) {
            *only = unidentified;
        }
        let response = |response: Option<&str>| {
            response.map(str::to_owned).ok_or_else(|| ClientError::Protocol(missing_response(text)))
        };
        Ok(responses.into_iter().map(response).collect())
    }
}
