//! The calls of a connection without I/O: ids for new calls, and the pairing of responses.

use super::outgoing::Outgoing;
use super::outgoing_batch::{OutgoingBatch, missing_response};
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

/// The pending calls of a connection, without I/O: assigns ids, and pairs responses with calls.
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
    /// The numbers of the calls whose ids are not numbers.
    named: HashMap<Id<'static>, u64>,
    /// The last number of such a call. They count down.
    last: u64,
    batches: u64,
    /// The calls of each batch with pending calls, and the number of these.
    groups: BTreeMap<u64, (Vec<u64>, usize)>,
    pairs_without_id: bool,
    observer: Option<Arc<dyn Observer>>,
    /// The connection of the events.
    connection: Option<ConnectionId>,
}

/// A pending call.
#[derive(Debug)]
struct Open {
    /// The number of its batch.
    batch: Option<u64>,
    /// Its id, if that is not a number.
    name: Option<Id<'static>>,
}

impl Default for PendingCalls {
    fn default() -> Self {
        Self::new()
    }
}

impl PendingCalls {
    /// Creates an empty list. The first id is 1.
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

    /// Pairs a response without a usable id with the only pending call, or with the calls of the only pending batch: an
    /// error under the id null is its error, and a response without a valid id its protocol error. With several pending
    /// calls, such a response is discarded.
    #[must_use]
    pub fn pair_responses_without_id(mut self) -> Self {
        self.pairs_without_id = true;
        self
    }

    /// Sets the observer of sent and received messages.
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

    /// Makes a call pending, and returns its id and the text to send.
    ///
    /// # Errors
    ///
    /// [`ClientError::Encode`] if `params` do not serialise as an array, an object or null.
    pub fn call<P: Serialize + ?Sized>(&mut self, method: &str, params: &P) -> Result<(u64, String), ClientError> {
        Ok(self.send(Outgoing::new(method, params).map_err(ClientError::Encode)?))
    }

    /// As [`call`](Self::call), for an encoded message. Its own id is ignored.
    pub fn send(&mut self, outgoing: Outgoing) -> (u64, String) {
        let id = self.insert(None);
        let text = outgoing.without_id().into_request(&Id::from(id));
        self.observe(EventKind::Sent { id: Some(id), text: text.as_bytes() });
        (id, text)
    }

    /// Makes a call pending whose message is encoded elsewhere, and returns its id.
    pub(crate) fn insert(&mut self, batch: Option<u64>) -> u64 {
        let number = self.pending.insert(Open { batch, name: None });
        self.join(batch, number);
        number
    }

    /// Adds a call to its batch.
    fn join(&mut self, batch: Option<u64>, number: u64) {
        if let Some(batch) = batch {
            let (numbers, open) = self.groups.entry(batch).or_default();
            numbers.push(number);
            *open += 1;
        }
    }

    /// Removes a call from its batch.
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

    /// As `insert`, for a call with its own id. Returns `None` if a pending call has this id.
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
        // The number is never sent. It counts down, so that it differs from those that are.
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

    /// Returns the number of the pending call with this id.
    fn number(&self, id: &Id<'_>) -> Option<u64> {
        match id.as_u64() {
            Some(number) => self.pending.get(number).is_some_and(|open| open.name.is_none()).then_some(number),
            None if self.named.is_empty() => None,
            None => self.named.get(&id.clone().into_owned()).copied(),
        }
    }

    /// Removes a call, and returns its number and batch.
    fn complete(&mut self, number: u64) -> Option<(u64, Option<u64>)> {
        let Open { batch, name } = self.pending.take(number)?;
        if let Some(name) = name {
            self.named.remove(&name);
        }
        self.leave(batch);
        Some((number, batch))
    }

    /// Removes the call whose id is this number. Returns `false` if there is none.
    pub(crate) fn complete_number(&mut self, number: u64) -> bool {
        self.pending.get(number).is_some_and(|open| open.name.is_none()) && self.complete(number).is_some()
    }

    /// Returns a number for a new batch.
    pub(crate) fn next_batch(&mut self) -> u64 {
        self.batches += 1;
        self.batches
    }

    /// Shows the observer a message that was encoded elsewhere.
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

    /// Returns the text of a notification.
    ///
    /// # Errors
    ///
    /// The same as of [`PendingCalls::call`].
    pub fn notify<P: Serialize + ?Sized>(&mut self, method: &str, params: &P) -> Result<String, ClientError> {
        let text = Outgoing::new(method, params).map_err(ClientError::Encode)?.into_notification();
        self.observe(EventKind::Sent { id: None, text: text.as_bytes() });
        Ok(text)
    }

    /// Makes the calls of a batch pending, and returns their ids and the text to send. The calls' own ids are ignored.
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
    /// // A call without a response in the array has failed.
    /// let events = calls.receive(br#"[{"jsonrpc":"2.0","result":7,"id":2}]"#);
    /// assert!(matches!(&events[0], Received::Response { id: 2, outcome: Ok(seven) } if seven.get() == "7"));
    /// assert!(matches!(&events[1], Received::Failed { id: 1, .. }));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
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

    /// Processes a received message, and returns its events: one, or one for each member of an array and one for each call
    /// without a response in the response to its batch. A message that belongs to no call is reported as discarded.
    pub fn receive<'m>(&mut self, message: &'m [u8]) -> Vec<Received<'m>> {
        let mut received = Vec::new();
        match Incoming::read_with_texts(message) {
            Err(single) => {
                self.pair(single, message, &mut received);
            }
            Ok(members) if members.len() == 1 => {
                let responded = members
                    .into_iter()
                    .filter_map(|(member, text)| self.pair(member, text.as_bytes(), &mut received))
                    .collect();
                self.fail_missing(&responded, message, &mut received);
            }
            Ok(members) => {
                let (mut responded, mut unidentified) = (BTreeSet::new(), Vec::new());
                for (member, text) in members {
                    if let ResponseTarget::Unidentified = ResponseTarget::new(&member) {
                        unidentified.push((member, text));
                    } else {
                        responded.extend(self.pair(member, text.as_bytes(), &mut received));
                    }
                }
                // After the other members, since a response without an id belongs to the only call that is left.
                for (member, text) in unidentified {
                    self.pair_unidentified(member, text.as_bytes(), &responded, &mut received);
                }
                self.fail_missing(&responded, message, &mut received);
            }
        }
        received
    }

    /// Pairs a member without a usable id of an array that is the response to the batches `responded`.
    fn pair_unidentified<'m>(
        &mut self,
        message: Message<'m>,
        text: &[u8],
        responded: &BTreeSet<u64>,
        received: &mut Vec<Received<'m>>,
    ) {
        let sent_with = responded.iter().filter_map(|batch| self.groups.get(batch)).flat_map(|(ids, _)| ids);
        let left: Vec<u64> = sent_with.copied().filter(|id| self.pending.contains(*id)).take(2).collect();
        let calls = match (&left[..], self.pairs_without_id) {
            ([only], true) => self.complete(*only).into_iter().collect(),
            ([], true) if self.pending.len() == 1 => self.take_only(),
            _ => Vec::new(),
        };
        self.push_events(message, text, &calls, received);
    }

    /// Pairs one message. Returns the batch of its call.
    fn pair<'m>(&mut self, message: Message<'m>, text: &[u8], received: &mut Vec<Received<'m>>) -> Option<u64> {
        let calls: Vec<_> = match ResponseTarget::new(&message) {
            ResponseTarget::ById(id) => self.number(id).and_then(|number| self.complete(number)).into_iter().collect(),
            ResponseTarget::Unidentified => self.take_only(),
            ResponseTarget::NotAResponse => Vec::new(),
        };
        self.push_events(message, text, &calls, received);
        calls.first().and_then(|(_, batch)| *batch)
    }

    /// Removes and returns the only pending call, or the calls of the only pending batch.
    fn take_only(&mut self) -> Vec<(u64, Option<u64>)> {
        let (true, Some((_, Open { batch, .. }))) = (self.pairs_without_id, self.pending.iter().next()) else {
            return Vec::new();
        };
        let together = batch.and_then(|batch| self.groups.get(&batch)).map_or(1, |(_, open)| *open);
        let is_only = self.pending.len() == together;
        let ids: Vec<_> = if is_only { self.pending.ids().collect() } else { Vec::new() };
        ids.into_iter().filter_map(|id| self.complete(id)).collect()
    }

    /// Fails the calls without a response in the response to their batch.
    fn fail_missing(&mut self, responded: &BTreeSet<u64>, text: &[u8], received: &mut Vec<Received<'_>>) {
        let groups = responded.iter().filter_map(|batch| self.groups.remove(batch));
        let ids: Vec<u64> = groups.flat_map(|(ids, _)| ids).collect();
        for id in ids {
            if self.complete(id).is_some() {
                let event = Received::Failed { id, error: missing_response(&String::from_utf8_lossy(text)) };
                self.show_all(std::slice::from_ref(&event), text);
                received.push(event);
            }
        }
    }

    /// Adds the events of a message that belongs to these calls, and shows them to the observer.
    fn push_events<'m>(
        &self,
        message: Message<'m>,
        text: &[u8],
        calls: &[(u64, Option<u64>)],
        received: &mut Vec<Received<'m>>,
    ) {
        let first = received.len();
        deliver(message, text, calls.iter().map(|(id, _)| *id), received);
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
        let received_event = |kind, id, method| EventKind::Received { kind, id, method, reason: None, text };
        self.observe(match received {
            Received::Request(request) => {
                received_event(MessageKind::Request, Some(&request.id), Some(&*request.method))
            }
            Received::Notification(notification) => {
                received_event(MessageKind::Notification, None, Some(&*notification.method))
            }
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

    /// Removes a call. Its response, if it arrives, is discarded. Returns `false` if the call was not pending.
    pub fn forget(&mut self, id: u64) -> bool {
        self.complete(id).is_some()
    }

    /// Returns the ids of the pending calls, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = u64> + '_ {
        self.pending.ids()
    }
}

impl fmt::Debug for PendingCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCalls").field("pending", &self.pending).finish_non_exhaustive()
    }
}
