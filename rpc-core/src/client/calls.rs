//! The client without I/O: what to send, and which call a received message belongs to.

use super::outgoing::Outgoing;
use crate::error::{CallError, ProtocolError};
use crate::pending::Pending;
use crate::wire::{ErrorObject, Id, Incoming, Invalid, Message, Notification, Reason, Request, Response};
use serde::Serialize;
use serde_json::value::RawValue;
use std::fmt;

/// The calls of one connection: gives each its id, and pairs each reply with its call.
///
/// It sends and receives nothing itself: it takes values and returns values.
///
/// ```
/// use rpc_core::client::{Calls, Received};
///
/// let mut calls = Calls::new();
/// let (id, text) = calls.call("subtract", &[42, 23])?;
/// assert_eq!(text, r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
/// assert_eq!(calls.pending().collect::<Vec<_>>(), [id]);
///
/// let events = calls.receive(br#"{"jsonrpc":"2.0","result":19,"id":1}"#);
/// let [Received::Answered { id: 1, outcome: Ok(result) }] = &events[..] else { panic!() };
/// assert_eq!(result.get(), "19");
/// assert_eq!(calls.pending().count(), 0);
/// # Ok::<(), rpc_core::CallError>(())
/// ```
#[derive(Debug)]
pub struct Calls {
    pending: Pending<()>,
}

impl Default for Calls {
    fn default() -> Self {
        Self::new()
    }
}

impl Calls {
    /// No calls yet; the first id is 1.
    #[must_use]
    pub fn new() -> Self {
        Calls { pending: Pending::new() }
    }

    /// Makes a call: its id, which is pending from now on, and the text to send.
    ///
    /// # Errors
    ///
    /// [`CallError::Encode`] when `params` do not serialise as a list, an object or null; then
    /// nothing is pending.
    pub fn call<P: Serialize + ?Sized>(&mut self, method: &str, params: &P) -> Result<(u64, String), CallError> {
        let outgoing = Outgoing::new(method, params).map_err(CallError::Encode)?;
        let id = self.pending.insert(());
        Ok((id, outgoing.into_request(&Id::from(id))))
    }

    /// Makes a notification: the text to send.
    ///
    /// # Errors
    ///
    /// [`CallError::Encode`], as for [`Calls::call`].
    pub fn notify<P: Serialize + ?Sized>(&mut self, method: &str, params: &P) -> Result<String, CallError> {
        Ok(Outgoing::new(method, params).map_err(CallError::Encode)?.into_notification())
    }

    /// Takes a message as it came and says what it was: one event, or one for each member of a
    /// batch. Nothing is lost: what no call can claim is reported with its reason.
    pub fn receive<'m>(&mut self, message: &'m [u8]) -> Vec<Received<'m>> {
        match Incoming::read(message) {
            Incoming::Message(single) => vec![self.sort(single, message)],
            Incoming::Batch(batch) => {
                batch.into_members().into_iter().map(|member| self.sort(member, message)).collect()
            }
        }
    }

    fn sort<'m>(&mut self, message: Message<'m>, text: &[u8]) -> Received<'m> {
        match message {
            Message::Request(request) => Received::Request(request),
            Message::Notification(notification) => Received::Notification(notification),
            Message::Response(response) => match self.pending.complete(&response.id) {
                Some((id, ())) => Received::Answered { id, outcome: response.outcome },
                None => Received::Dropped(match response {
                    Response { id, outcome: Err(object) } if id.is_null() => DropReason::NullId(object),
                    Response { id, .. } => DropReason::UnknownId(id),
                }),
            },
            Message::Invalid(Invalid { reason, id }) => match id.and_then(|id| self.pending.complete(&id)) {
                Some((id, ())) => {
                    let text = String::from_utf8_lossy(text).into_owned();
                    Received::Failed { id, error: ProtocolError { reason: reason.to_string().into(), text } }
                }
                None => Received::Dropped(DropReason::Invalid(reason)),
            },
        }
    }

    /// Gives up on a call: a reply that comes later is dropped. False when it was not pending.
    pub fn forget(&mut self, id: u64) -> bool {
        self.pending.complete(&Id::from(id)).is_some()
    }

    /// The ids of the calls that wait for their answer, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = u64> + '_ {
        self.pending.ids()
    }
}

/// What a received message was.
///
/// ```
/// use rpc_core::client::{Calls, Received};
///
/// let events = Calls::new().receive(br#"{"jsonrpc":"2.0","result":1,"id":99}"#);
/// let [Received::Dropped(reason)] = &events[..] else { panic!() };
/// assert_eq!(reason.to_string(), "no call waits under the id 99");
/// ```
#[derive(Debug)]
pub enum Received<'m> {
    /// The answer to a call, which is no longer pending.
    Answered {
        /// The id of the call.
        id: u64,
        /// Its result, or the error object.
        outcome: Result<&'m RawValue, ErrorObject>,
    },
    /// A reply that names a call but cannot be understood; the call is no longer pending.
    Failed {
        /// The id of the call.
        id: u64,
        /// What is wrong with the reply.
        error: ProtocolError,
    },
    /// A call from the other side.
    Request(Request<'m>),
    /// A notification from the other side.
    Notification(Notification<'m>),
    /// A message that no call can claim; all calls stay as they are.
    Dropped(DropReason<'m>),
}

/// Why a message was dropped.
///
/// ```
/// use rpc_core::client::DropReason;
/// use rpc_core::Id;
///
/// assert_eq!(DropReason::UnknownId(Id::from("x")).to_string(), r#"no call waits under the id "x""#);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DropReason<'m> {
    /// It is not JSON, or no message, or a reply that names no call.
    Invalid(Reason),
    /// A reply whose id is not pending.
    UnknownId(Id<'m>),
    /// An error under the id null: the other side could not read a message of ours. Whose it was is
    /// for the user to decide; with one call pending it can only be that one.
    NullId(ErrorObject),
}

impl fmt::Display for DropReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DropReason::Invalid(reason) => reason.fmt(f),
            DropReason::UnknownId(id) => write!(f, "no call waits under the id {id}"),
            DropReason::NullId(object) => write!(f, "an error for no call in particular: {object}"),
        }
    }
}
