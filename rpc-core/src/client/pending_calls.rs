//! The client without I/O: what to send, and which call a received message belongs to.

use super::outgoing::Outgoing;
use super::outgoing_batch::{OutgoingBatch, left_out};
use super::received::{Received, deliver};
use super::response_target::ResponseTarget;
use crate::connection_id::ConnectionId;
use crate::error::ClientError;
use crate::observe::{EventKind, Failure, MessageKind, Observer, ObserverRef};
use crate::pending::Pending;
use crate::wire::{Id, Incoming, Message};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

/// The calls of one connection: gives each its id, and pairs each reply with its call.
///
/// It sends and receives nothing itself: it takes values and returns values.
///
/// ```
/// use rpc_core::client::{PendingCalls, Received};
///
/// let mut calls = PendingCalls::new();
/// let (id, text) = calls.call("subtract", &[42, 23])?;
/// assert_eq!(text, r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
/// assert_eq!(calls.pending().collect::<Vec<_>>(), [id]);
///
/// let events = calls.receive(br#"{"jsonrpc":"2.0","result":19,"id":1}"#);
/// let [Received::Response { id: 1, outcome: Ok(result) }] = &events[..] else { panic!() };
/// assert_eq!(result.get(), "19");
/// assert_eq!(calls.pending().count(), 0);
/// # Ok::<(), rpc_core::ClientError>(())
/// ```
pub struct PendingCalls {
    pending: Pending<Open>,
    /// The numbers of the calls whose ids are none.
    named: HashMap<Id<'static>, u64>,
    /// The last number that was given to such a call; they count down.
    last: u64,
    batches: u64,
    /// The calls of each batch that has any pending, and how many these are.
    groups: BTreeMap<u64, (Vec<u64>, usize)>,
    pairs_without_id: bool,
    observer: Option<Arc<dyn Observer>>,
    /// The connection of the events.
    connection: Option<ConnectionId>,
}

/// A call that waits.
#[derive(Debug)]
struct Open {
    /// The number of the batch that it was sent in.
    batch: Option<u64>,
    /// The id of its own, if that is no number.
    name: Option<Id<'static>>,
}

impl Default for PendingCalls {
    fn default() -> Self {
        Self::new()
    }
}

impl PendingCalls {
    /// No calls yet; the first id is 1.
    #[must_use]
    pub fn new() -> Self {
        PendingCalls {
            pending: Pending::new(),
            named: HashMap::new(),
            last: u64::MAX,
            batches: 0,
            groups: BTreeMap::new(),
            pairs_without_id: false,
            observer: None,
            connection: None,
        }
    }

    /// Gives a reply that names no call to the only pending call, if there is exactly one: an error
    /// under the id null is its error, a reply without a readable id its protocol error; and to the calls of
    /// the only pending batch, if nothing else is. Otherwise such a reply is reported as dropped.
    #[must_use]
    pub fn pair_responses_without_id(mut self) -> Self {
        self.pairs_without_id = true;
        self
    }

    /// Shows all that is sent and received to `observer`.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Sets the connection of the events that the observer is shown.
    #[must_use]
    pub(crate) fn connection(mut self, connection: ConnectionId) -> Self {
        self.connection = Some(connection);
        self
    }

    /// Makes a call: its id, which is pending from now on, and the text to send.
    ///
    /// # Errors
    ///
    /// [`ClientError::Encode`] when `params` do not serialise as a list, an object or null; then
    /// nothing is pending.
    pub fn call<P: Serialize + ?Sized>(&mut self, method: &str, params: &P) -> Result<(u64, String), ClientError> {
        Ok(self.send(Outgoing::new(method, params).map_err(ClientError::Encode)?))
    }

    /// As [`call`](Self::call), for a message that a [`Caller`](crate::client::Caller) was given. An id of its own is
    /// not given to it.
    pub fn send(&mut self, outgoing: Outgoing) -> (u64, String) {
        let id = self.insert(None);
        let text = outgoing.without_id().into_request(&Id::from(id));
        self.observe(EventKind::Sent { id: Some(id), text: text.as_bytes() });
        (id, text)
    }

    /// A call whose message is written elsewhere: its id, which is pending from now on.
    pub(crate) fn insert(&mut self, batch: Option<u64>) -> u64 {
        let number = self.pending.insert(Open { batch, name: None });
        self.join(batch, number);
        number
    }

    /// Notes that a call is one of a batch.
    fn join(&mut self, batch: Option<u64>, number: u64) {
        if let Some(batch) = batch {
            let (numbers, open) = self.groups.entry(batch).or_default();
            numbers.push(number);
            *open += 1;
        }
    }

    /// Notes that a call of a batch has ended.
    fn leave(&mut self, batch: Option<u64>) {
        if let Some(batch) = batch
            && let Some((_, open)) = self.groups.get_mut(&batch)
        {
            *open -= 1;
            if *open == 0 {
                self.groups.remove(&batch);
            }
        }
    }

    /// As `open`, for a call that has an id of its own. `None` when a call waits under this id.
    pub(crate) fn insert_with_id(&mut self, own: &Id<'static>, batch: Option<u64>) -> Option<u64> {
        if let Some(number) = own.as_u64() {
            let is_free = self.pending.insert_with_id(number, Open { batch, name: None });
            if is_free {
                self.join(batch, number);
            }
            return is_free.then_some(number);
        }
        if self.named.contains_key(own) {
            return None;
        }
        // Its number is never sent: one from the other end keeps out of the way of those that are.
        let number = loop {
            self.last -= 1;
            if self.pending.insert_with_id(self.last, Open { batch, name: Some(own.clone()) }) {
                break self.last;
            }
        };
        self.named.insert(own.clone(), number);
        self.join(batch, number);
        Some(number)
    }

    /// The number of the call that waits under an id.
    fn number(&self, id: &Id<'_>) -> Option<u64> {
        match id.as_u64() {
            Some(number) => self.pending.get(number).is_some_and(|open| open.name.is_none()).then_some(number),
            None if self.named.is_empty() => None,
            None => self.named.get(&id.clone().into_owned()).copied(),
        }
    }

    /// Takes out a call, and says of which batch it is.
    fn complete(&mut self, number: u64) -> Option<(u64, Option<u64>)> {
        let Open { batch, name } = self.pending.take(number)?;
        if let Some(name) = name {
            self.named.remove(&name);
        }
        self.leave(batch);
        Some((number, batch))
    }

    /// Takes out the call that waits under this number, and under no other id. False when there is none.
    pub(crate) fn complete_number(&mut self, number: u64) -> bool {
        self.pending.get(number).is_some_and(|open| open.name.is_none()) && self.complete(number).is_some()
    }

    /// A number for the calls of one batch.
    pub(crate) fn next_batch(&mut self) -> u64 {
        self.batches += 1;
        self.batches
    }

    /// Shows a message that was written elsewhere.
    pub(crate) fn show_sent(&self, text: &[u8]) {
        if self.observer.is_some() {
            for (message, text) in Incoming::messages(text) {
                let id = match &message {
                    Message::Request(request) => request.id.as_u64(),
                    _ => None,
                };
                self.observe(EventKind::Sent { id, text: text.as_bytes() });
            }
        }
    }

    /// Makes a notification: the text to send.
    ///
    /// # Errors
    ///
    /// [`ClientError::Encode`], as for [`PendingCalls::call`].
    pub fn notify<P: Serialize + ?Sized>(&mut self, method: &str, params: &P) -> Result<String, ClientError> {
        let text = Outgoing::new(method, params).map_err(ClientError::Encode)?.into_notification();
        self.observe(EventKind::Sent { id: None, text: text.as_bytes() });
        Ok(text)
    }

    /// Makes a batch: the ids of its calls, which are pending from now on, and the text to send.
    ///
    /// ```
    /// use rpc_core::client::{PendingCalls, Outgoing, OutgoingBatch, Received};
    ///
    /// let mut calls = PendingCalls::new();
    /// let mut batch = OutgoingBatch::new();
    /// batch.call(Outgoing::new("add", &[1, 2])?);
    /// batch.call(Outgoing::new("add", &[3, 4])?);
    /// let (ids, _text) = calls.batch(batch);
    /// assert_eq!(ids, [1, 2]);
    ///
    /// // A call that the answer leaves out has failed.
    /// let events = calls.receive(br#"[{"jsonrpc":"2.0","result":7,"id":2}]"#);
    /// assert!(matches!(&events[0], Received::Response { id: 2, outcome: Ok(seven) } if seven.get() == "7"));
    /// assert!(matches!(&events[1], Received::Failed { id: 1, .. }));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// Ids of their own are not given to the calls here.
    pub fn batch(&mut self, batch: OutgoingBatch) -> (Vec<u64>, String) {
        let number = self.next_batch();
        let mut ids = Vec::with_capacity(batch.call_count());
        let sent = batch.without_id().encode(|| {
            let id = self.insert(Some(number));
            ids.push(id);
            Id::from(id)
        });
        self.show_sent(sent.text().as_bytes());
        (ids, sent.into_text())
    }

    /// Takes a message as it came and says what it was: one event, or one for each member of a
    /// batch, and one for each call of ours that the answer to its batch leaves out. Nothing is lost: what no
    /// call can claim is reported with its reason.
    pub fn receive<'m>(&mut self, message: &'m [u8]) -> Vec<Received<'m>> {
        let mut received = Vec::new();
        match Incoming::read_with_texts(message) {
            Err(single) => {
                self.sort(single, message, &mut received);
            }
            Ok(members) if members.len() == 1 => {
                let answered = members
                    .into_iter()
                    .filter_map(|(member, text)| self.sort(member, text.as_bytes(), &mut received))
                    .collect();
                self.fail_left_out(&answered, message, &mut received);
            }
            Ok(members) => {
                let (mut answered, mut unnamed) = (BTreeSet::new(), Vec::new());
                for (member, text) in members {
                    if let ResponseTarget::Unidentified = ResponseTarget::of(&member) {
                        unnamed.push((member, text));
                    } else {
                        answered.extend(self.sort(member, text.as_bytes(), &mut received));
                    }
                }
                // What names no call can only belong to the one that is left, once the others have theirs.
                for (member, text) in unnamed {
                    self.sort_unnamed(member, text.as_bytes(), &answered, &mut received);
                }
                self.fail_left_out(&answered, message, &mut received);
            }
        }
        received
    }

    /// Sorts a member of an array that names no call, `answered` being the batches that the array answers.
    fn sort_unnamed<'m>(
        &mut self,
        message: Message<'m>,
        text: &[u8],
        answered: &BTreeSet<u64>,
        received: &mut Vec<Received<'m>>,
    ) {
        let sent_with = answered.iter().filter_map(|batch| self.groups.get(batch)).flat_map(|(ids, _)| ids);
        let left: Vec<u64> = sent_with.copied().filter(|id| self.pending.contains(*id)).take(2).collect();
        let claimed = match (&left[..], self.pairs_without_id) {
            ([only], true) => self.complete(*only).into_iter().collect(),
            ([], true) if self.pending.len() == 1 => self.sole(),
            _ => Vec::new(),
        };
        self.tell(message, text, &claimed, received);
    }

    /// Sorts one message. Says of which batch of ours it answers a call.
    fn sort<'m>(&mut self, message: Message<'m>, text: &[u8], received: &mut Vec<Received<'m>>) -> Option<u64> {
        let claimed: Vec<_> = match ResponseTarget::of(&message) {
            ResponseTarget::ById(id) => self.number(id).and_then(|number| self.complete(number)).into_iter().collect(),
            ResponseTarget::Unidentified => self.sole(),
            ResponseTarget::NotAResponse => Vec::new(),
        };
        self.tell(message, text, &claimed, received);
        claimed.first().and_then(|(_, batch)| *batch)
    }

    /// The calls that a reply without an id can only belong to: the only one, or those of the only batch.
    fn sole(&mut self) -> Vec<(u64, Option<u64>)> {
        let (true, Some((_, Open { batch, .. }))) = (self.pairs_without_id, self.pending.iter().next()) else {
            return Vec::new();
        };
        let together = batch.and_then(|batch| self.groups.get(&batch)).map_or(1, |(_, open)| *open);
        let is_only = self.pending.len() == together;
        let ids: Vec<_> = if is_only { self.pending.ids().collect() } else { Vec::new() };
        ids.into_iter().filter_map(|id| self.complete(id)).collect()
    }

    /// Ends the calls of batches that were answered without them: no reply of theirs will come.
    fn fail_left_out(&mut self, answered: &BTreeSet<u64>, text: &[u8], received: &mut Vec<Received<'_>>) {
        let groups = answered.iter().filter_map(|batch| self.groups.remove(batch));
        let ids: Vec<u64> = groups.flat_map(|(ids, _)| ids).collect();
        for id in ids {
            if self.complete(id).is_some() {
                let event = Received::Failed { id, error: left_out(&String::from_utf8_lossy(text)) };
                self.show_all(std::slice::from_ref(&event), text);
                received.push(event);
            }
        }
    }

    /// Tells the calls that claim a message, or nobody, and who watches.
    fn tell<'m>(
        &self,
        message: Message<'m>,
        text: &[u8],
        claimed: &[(u64, Option<u64>)],
        received: &mut Vec<Received<'m>>,
    ) {
        let first = received.len();
        deliver(message, text, claimed.iter().map(|(id, _)| *id), received);
        self.show_all(&received[first..], text);
    }

    fn show_all(&self, received: &[Received<'_>], text: &[u8]) {
        if self.observer.is_some() {
            for received in received {
                self.show(received, text);
            }
        }
    }

    #[cold]
    fn show(&self, received: &Received<'_>, text: &[u8]) {
        let came = |kind, id, method| EventKind::Received { kind, id, method, reason: None, text };
        self.observe(match received {
            Received::Request(request) => came(MessageKind::Request, Some(&request.id), Some(&*request.method)),
            Received::Notification(notification) => came(MessageKind::Notification, None, Some(&*notification.method)),
            Received::Response { id, outcome: Ok(_) } => EventKind::Completed { id: *id, text },
            Received::Response { id, outcome: Err(error) } => {
                EventKind::Failed { id: *id, failure: Failure::Error(error), text }
            }
            Received::Failed { id, error } => EventKind::Failed { id: *id, failure: Failure::Unreadable(error), text },
            Received::Discarded(reason) => EventKind::Discarded { reason, text },
        });
    }

    fn observe(&self, event: EventKind<'_>) {
        ObserverRef::new(self.observer.as_ref(), self.connection).show(event);
    }

    /// Gives up on a call: a reply that comes later is dropped. False when it was not pending.
    pub fn forget(&mut self, id: u64) -> bool {
        self.complete(id).is_some()
    }

    /// The ids of the calls that wait for their answer, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = u64> + '_ {
        self.pending.ids()
    }
}

impl fmt::Debug for PendingCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("pending", &self.pending).finish_non_exhaustive()
    }
}
