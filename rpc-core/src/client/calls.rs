//! The client without I/O: what to send, and which call a received message belongs to.

use super::outgoing::Outgoing;
use crate::error::{CallError, DropReason, ProtocolError};
use crate::observe::{Event, Failure, Kind, Observer, show};
use crate::pending::Pending;
use crate::wire::{ErrorObject, Id, Incoming, Invalid, Message, Notification, Reason, Request, Response};
use serde::Serialize;
use serde_json::value::RawValue;
use std::fmt;
use std::sync::Arc;

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
pub struct Calls {
    pending: Pending<()>,
    claims_null: bool,
    observer: Option<Arc<dyn Observer>>,
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
        Calls { pending: Pending::new(), claims_null: false, observer: None }
    }

    /// Gives a reply that names no call to the only pending call, if there is exactly one: an error
    /// under the id null is its error, a reply without a readable id its protocol error. Otherwise, and with
    /// several calls pending, such a reply is reported as dropped.
    #[must_use]
    pub fn claiming_unnamed_replies(mut self) -> Self {
        self.claims_null = true;
        self
    }

    /// Shows all that is sent and received to `observer`.
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
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
        let text = outgoing.into_request(&Id::from(id));
        self.observe(&Event::Sent { id: Some(id), text: text.as_bytes() });
        Ok((id, text))
    }

    /// Makes a notification: the text to send.
    ///
    /// # Errors
    ///
    /// [`CallError::Encode`], as for [`Calls::call`].
    pub fn notify<P: Serialize + ?Sized>(&mut self, method: &str, params: &P) -> Result<String, CallError> {
        let text = Outgoing::new(method, params).map_err(CallError::Encode)?.into_notification();
        self.observe(&Event::Sent { id: None, text: text.as_bytes() });
        Ok(text)
    }

    /// Takes a message as it came and says what it was: one event, or one for each member of a
    /// batch. Nothing is lost: what no call can claim is reported with its reason.
    pub fn receive<'m>(&mut self, message: &'m [u8]) -> Vec<Received<'m>> {
        match Incoming::read_with_texts(message) {
            Ok(members) => members.into_iter().map(|(member, text)| self.sort(member, text.as_bytes())).collect(),
            Err(whole) => vec![self.sort(whole, message)],
        }
    }

    fn sort<'m>(&mut self, message: Message<'m>, text: &[u8]) -> Received<'m> {
        let received = self.pair(message, text);
        if self.observer.is_some() {
            self.show(&received, text);
        }
        received
    }

    fn pair<'m>(&mut self, message: Message<'m>, text: &[u8]) -> Received<'m> {
        match message {
            Message::Request(request) => Received::Request(request),
            Message::Notification(notification) => Received::Notification(notification),
            Message::Response(response) => match self.claim(&response) {
                Some(id) => Received::Answered { id, outcome: response.outcome },
                None => Received::Dropped(match response {
                    Response { id, outcome: Err(object) } if id.is_null() => DropReason::NullId(object),
                    Response { id, .. } => DropReason::UnknownId(id),
                }),
            },
            Message::Invalid(invalid) => match self.claim_invalid(&invalid) {
                Some(id) => {
                    let text = String::from_utf8_lossy(text).into_owned();
                    Received::Failed { id, error: ProtocolError { reason: invalid.reason.to_string().into(), text } }
                }
                None => Received::Dropped(DropReason::Invalid(invalid)),
            },
        }
    }

    /// The call that a reply belongs to.
    fn claim(&mut self, response: &Response<'_>) -> Option<u64> {
        if response.id.is_null() && response.outcome.is_err() { self.sole() } else { self.complete(&response.id) }
    }

    /// The call that something unreadable can only belong to. A message that names a method is no
    /// reply, whatever its id.
    fn claim_invalid(&mut self, invalid: &Invalid<'_>) -> Option<u64> {
        let is_about_reply = invalid.reason.is_about_reply();
        if is_about_reply && invalid.id.as_ref().is_none_or(Id::is_null) {
            return self.sole();
        }
        let may_be_reply = is_about_reply || invalid.reason == Reason::NoMethod;
        self.complete(invalid.id.as_ref().filter(|_| may_be_reply)?)
    }

    fn complete(&mut self, id: &Id<'_>) -> Option<u64> {
        self.pending.complete(id).map(|(id, ())| id)
    }

    fn sole(&mut self) -> Option<u64> {
        let mut ids = self.pending.ids();
        let (Some(id), None, true) = (ids.next(), ids.next(), self.claims_null) else { return None };
        drop(ids);
        self.complete(&Id::from(id))
    }

    #[cold]
    fn show(&self, received: &Received<'_>, text: &[u8]) {
        let came = |kind, id, method| Event::Received { kind, id, method, reason: None, text };
        self.observe(&match received {
            Received::Request(request) => came(Kind::Call, Some(&request.id), Some(&*request.method)),
            Received::Notification(notification) => came(Kind::Notification, None, Some(&*notification.method)),
            Received::Answered { id, outcome: Ok(_) } => Event::Paired { id: *id, text },
            Received::Answered { id, outcome: Err(error) } => {
                Event::Failed { id: *id, failure: Failure::Error(error), text }
            }
            Received::Failed { id, error } => Event::Failed { id: *id, failure: Failure::Unreadable(error), text },
            Received::Dropped(reason) => Event::Dropped { reason, text },
        });
    }

    fn observe(&self, event: &Event<'_>) {
        show(self.observer.as_deref(), event);
    }

    /// Gives up on a call: a reply that comes later is dropped. False when it was not pending.
    pub fn forget(&mut self, id: u64) -> bool {
        self.complete(&Id::from(id)).is_some()
    }

    /// The ids of the calls that wait for their answer, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = u64> + '_ {
        self.pending.ids()
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("pending", &self.pending).finish_non_exhaustive()
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
