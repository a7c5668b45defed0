//! Batches (§6): one message that holds several, each classified on its own.

use super::id::Id;
use super::message::Message;
use super::reason::Reason;
use serde::de::{Deserializer as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The members of a batch, in the order of the array. There is at least one (§6).
///
/// ```
/// use rpc_core::wire::{Incoming, Message};
///
/// let Incoming::Batch(batch) = Incoming::read(br#"[{"jsonrpc":"2.0","method":"a"}, 1]"#) else { panic!() };
/// assert!(matches!(batch.members(), [Message::Notification(_), Message::Invalid(_)]));
/// ```
#[derive(Clone, Debug)]
pub struct Batch<'a>(Vec<Message<'a>>);

impl<'a> Batch<'a> {
    /// Creates a batch. `members` must not be empty.
    pub(super) fn new(members: Vec<Message<'a>>) -> Self {
        Batch(members)
    }

    /// Returns the members.
    #[must_use]
    pub fn members(&self) -> &[Message<'a>] {
        &self.0
    }

    /// Returns the members by value.
    #[must_use]
    pub fn into_members(self) -> Vec<Message<'a>> {
        self.0
    }
}

/// Splits the JSON array `text` into its members: at least one, at most `max_members`.
pub(crate) fn members(text: &str, max_members: usize) -> Result<Vec<&RawValue>, Reason> {
    struct Members {
        max: usize,
    }
    impl<'a> Visitor<'a> for Members {
        type Value = Result<Vec<&'a RawValue>, Reason>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a batch")
        }
        fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = seq.next_element()? {
                if members.len() == self.max {
                    // The rest is still parsed: a batch that is not JSON is a parse error, however long it
                    // is.
                    while seq.next_element::<IgnoredAny>()?.is_some() {}
                    return Ok(Err(Reason::BatchTooLong));
                }
                members.push(member);
            }
            // SPEC §6: the response to an empty array is one error, not an empty array.
            Ok(if members.is_empty() { Err(Reason::BatchEmpty) } else { Ok(members) })
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let members = deserializer.deserialize_seq(Members { max: max_members }).map_err(|_| Reason::NotJson)?;
    deserializer.end().map_err(|_| Reason::NotJson)?;
    members
}

/// Returns the id of the first call in a batch, or `None` if it has no calls.
pub(crate) fn first_call_id(text: &str) -> Option<Id<'static>> {
    struct FirstCallId;
    impl<'a> Visitor<'a> for FirstCallId {
        type Value = Option<Id<'static>>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a batch")
        }
        fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut first = None;
            while let Some(member) = seq.next_element()? {
                if let Message::Request(request) = Message::from_value(member) {
                    first = Some(request.id.into_owned());
                    break;
                }
            }
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(first)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_seq(FirstCallId).ok().flatten()
}
