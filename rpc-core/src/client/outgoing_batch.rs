//! Messages to be sent as one, and the replies to them.

use super::outgoing::Outgoing;
use super::response_target::ResponseTarget;
use super::timeout_policy::TimeoutPolicy;
use crate::error::{ClientError, ProtocolError};
use crate::wire::{Id, Incoming, Message, Response};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// The replies to the calls of a batch, in the order of the calls; an error if the batch failed as a whole.
pub type BatchResponses = Result<Vec<Result<String, ClientError>>, ClientError>;

/// What became of a call that the answer to its batch leaves out. There may be many of them, so each is shown
/// only how the answer begins.
pub(super) fn left_out(text: &str) -> ProtocolError {
    const SHOWN: usize = 200;
    let text = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    ProtocolError { reason: "the batch was answered without a reply to this call".into(), text }
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
    /// No messages yet. An empty batch is not to be sent: it would be answered with an error (§6).
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

    /// Whether there is no message in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// How many of the messages are calls, to which there are replies.
    #[must_use]
    pub fn call_count(&self) -> usize {
        self.members.iter().filter(|member| matches!(member, Member::Call(_))).count()
    }

    /// Whether each of its calls may be made twice, and nothing else is in it.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.members.iter().all(|member| matches!(member, Member::Call(outgoing) if outgoing.is_idempotent()))
    }

    /// Gives the batch up when there is no reply within `timeout`; `None` waits without end.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout_policy = TimeoutPolicy::Explicit(timeout);
    }

    /// How long to wait for the replies, if a batch that does not say so waits for `usual`, or longer if the method
    /// of a call in it does.
    #[must_use]
    pub fn timeout_or(&self, default_timeout: Option<Duration>) -> Option<Duration> {
        let calls = self.members.iter().filter_map(|member| match member {
            Member::Call(outgoing) => Some(outgoing.method_timeout_or(default_timeout)),
            Member::Notification(_) => None,
        });
        // The longest; without end is longer than any.
        let longest = calls.reduce(|one, other| one.zip(other).map(|(one, other)| one.max(other)));
        self.timeout_policy.or(longest.unwrap_or(default_timeout))
    }

    /// The ids of their own that the calls have.
    pub(crate) fn explicit_ids(&self) -> impl Iterator<Item = Option<&Id<'static>>> {
        self.members.iter().filter_map(|member| match member {
            Member::Call(outgoing) => Some(outgoing.id()),
            Member::Notification(_) => None,
        })
    }

    /// The same without ids of their own.
    pub(super) fn without_id(mut self) -> Self {
        let without_id = |member| match member {
            Member::Call(outgoing) => Member::Call(outgoing.without_id()),
            Member::Notification(outgoing) => Member::Notification(outgoing.without_id()),
        };
        self.members = self.members.into_iter().map(without_id).collect();
        self
    }

    /// Writes the text. `next_id` gives an id to each call that has none of its own; one that another call
    /// of the batch has as its own is passed over.
    pub fn encode(self, mut next_id: impl FnMut() -> Id<'static>) -> SentBatch {
        let own: HashSet<Id<'static>> = self.explicit_ids().flatten().cloned().collect();
        let mut next_id = || loop {
            let id = next_id();
            if !own.contains(&id) {
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

/// A batch as it was sent: who waits for a reply to it. The example is at [`OutgoingBatch`].
#[derive(Clone, Debug)]
pub struct SentBatch {
    text: String,
    ids: Vec<Id<'static>>,
}

impl SentBatch {
    /// The text to send.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Gives the text away.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// The ids of the calls, in their order. If there are none, no reply is owed.
    #[must_use]
    pub fn ids(&self) -> &[Id<'static>] {
        &self.ids
    }

    /// Gives each call its reply out of the text that came back, whatever the order there. A call without
    /// one gets a [protocol error](ClientError::Protocol); replies to nobody, and second ones, are passed over. If
    /// there are no calls, there is no reply to look for, and any text will do.
    ///
    /// # Errors
    ///
    /// [`ClientError::Rpc`] when the batch was refused as a whole, by one error under the id null, in an array
    /// or not; [`ClientError::Protocol`] when the text is neither an array nor a reply to one of the calls.
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
                Ok(_) => return Err(unreadable("not the reply to a batch")),
            },
            Err(single) => (vec![(single, text)], false),
        };
        let is_refused = |message: &Message<'_>| matches!(message, Message::Response(Response { id, outcome: Err(_) }) if id.is_null());
        if let [(message, _)] = &messages[..]
            && self.ids.len() > 1
            && is_refused(message)
            && let Some((Message::Response(Response { outcome: Err(object), .. }), _)) = messages.pop()
        {
            return Err(ClientError::Rpc(object));
        }
        let places: HashMap<_, _> = self.ids.iter().enumerate().rev().map(|(place, id)| (id, place)).collect();
        let mut responses: Vec<Option<&str>> = vec![None; self.ids.len()];
        let mut unnamed = None;
        for (message, text) in &messages {
            match ResponseTarget::of(message) {
                ResponseTarget::ById(id) => {
                    if let Some(place) = places.get(id) {
                        responses[*place].get_or_insert(text);
                    }
                }
                ResponseTarget::Unidentified => {
                    unnamed.get_or_insert(*text);
                }
                ResponseTarget::NotAResponse => {}
            }
        }
        if !is_array && responses.iter().all(Option::is_none) {
            return Err(unreadable("not the reply to a batch"));
        }
        // What names no call can only belong to the only one without a reply.
        let mut open = responses.iter_mut().filter(|response| response.is_none());
        if let (Some(only), None) = (open.next(), open.next()) {
            *only = unnamed;
        }
        let response =
            |response: Option<&str>| response.map(str::to_owned).ok_or_else(|| ClientError::Protocol(left_out(text)));
        Ok(responses.into_iter().map(response).collect())
    }
}
