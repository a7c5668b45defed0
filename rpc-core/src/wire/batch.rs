//! Batches (§6): one message that holds several, each judged alone.

use super::id::Id;
use super::message::Message;
use super::reason::Reason;
use serde::de::{Deserializer as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The members of a batch, in the order they came; there is at least one (§6).
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
    /// `members` are at least one.
    pub(super) fn of(members: Vec<Message<'a>>) -> Self {
        Batch(members)
    }

    /// The members.
    #[must_use]
    pub fn members(&self) -> &[Message<'a>] {
        &self.0
    }

    /// Gives the members away.
    #[must_use]
    pub fn into_members(self) -> Vec<Message<'a>> {
        self.0
    }
}

/// The members of the array that `text` should be, none if there are more than `most`.
pub(crate) fn members(text: &str, most: usize) -> Result<Vec<&RawValue>, Reason> {
    struct Members(usize);
    impl<'a> Visitor<'a> for Members {
        type Value = Result<Vec<&'a RawValue>, Reason>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a batch")
        }
        fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = seq.next_element()? {
                if members.len() == self.0 {
                    // The rest is still checked: what is not JSON is a parse error, however long.
                    while seq.next_element::<IgnoredAny>()?.is_some() {}
                    return Ok(Err(Reason::BatchTooLong));
                }
                members.push(member);
            }
            // SPEC §6: an empty array is answered with one error, not with an empty array.
            Ok(if members.is_empty() { Err(Reason::BatchEmpty) } else { Ok(members) })
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let members = deserializer.deserialize_seq(Members(most)).map_err(|_| Reason::NotJson)?;
    deserializer.end().map_err(|_| Reason::NotJson)?;
    members
}

/// The id of the first call in a batch; `None` if there is none.
pub(crate) fn first_call(text: &str) -> Option<Id<'static>> {
    struct FirstCall;
    impl<'a> Visitor<'a> for FirstCall {
        type Value = Option<Id<'static>>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a batch")
        }
        fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut first = None;
            while let Some(member) = seq.next_element()? {
                if let Message::Request(request) = Message::of_value(member) {
                    first = Some(request.id.into_owned());
                    break;
                }
            }
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(first)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_seq(FirstCall).ok().flatten()
}
