//! The text of one transport message: a single message or a batch.

use super::batch::{self, Batch};
use super::message::{Invalid, Message};
use super::reason::Reason;

/// The parsed text of one transport message: a single message or a batch.
///
/// ```
/// use rpc_core::wire::{Incoming, Message};
///
/// let Incoming::Message(message) = Incoming::read(br#"{"jsonrpc":"2.0","method":1,"id":7}"#) else { panic!() };
/// let Message::Invalid(invalid) = message else { panic!() };
/// assert_eq!(invalid.id.as_ref().map(|id| id.as_token()), Some("7"));
/// assert_eq!(invalid.reason.to_string(), "`method` must be a string");
/// ```
#[derive(Clone, Debug)]
pub enum Incoming<'a> {
    /// A single message.
    Message(Message<'a>),
    /// An array of messages (§6).
    Batch(Batch<'a>),
}

impl<'a> Incoming<'a> {
    /// Parses `message`, which must be the whole text. Every input is accepted: one that is not a valid
    /// message becomes [`Message::Invalid`]. There are no limits on size, depth or the number of members.
    #[must_use]
    pub fn read(message: &'a [u8]) -> Self {
        match Self::read_with_texts(message) {
            Ok(members) => Incoming::Batch(Batch::new(members.into_iter().map(|(member, _)| member).collect())),
            Err(single) => Incoming::Message(single),
        }
    }

    /// Parses `message` into its messages, the single one or the members of the batch, each with its own
    /// text.
    pub(crate) fn messages(message: &'a [u8]) -> Vec<(Message<'a>, &'a str)> {
        let whole = std::str::from_utf8(message).unwrap_or_default();
        Self::read_with_texts(message).unwrap_or_else(|single| vec![(single, whole)])
    }

    /// Parses `message` into the members of a batch, each with its own text, or else into the single message
    /// as the `Err`.
    pub(crate) fn read_with_texts(message: &'a [u8]) -> Result<Vec<(Message<'a>, &'a str)>, Message<'a>> {
        Self::read_up_to(message, usize::MAX)
    }

    /// Like `read_with_texts`, but an array of more than `max_members` members is an invalid message.
    pub(crate) fn read_up_to(
        message: &'a [u8],
        max_members: usize,
    ) -> Result<Vec<(Message<'a>, &'a str)>, Message<'a>> {
        let invalid = |reason| Message::Invalid(Invalid { reason, id: None });
        let text = std::str::from_utf8(message).map_err(|_| invalid(Reason::NotUtf8))?;
        if !is_batch(text) {
            return Err(Message::read(text));
        }
        let members = batch::members(text, max_members).map_err(invalid)?;
        Ok(members.into_iter().map(|member| (Message::from_value(member), member.get())).collect())
    }
}

/// Returns `true` if the first token in `text` opens an array.
fn is_batch(text: &str) -> bool {
    text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('[')
}
