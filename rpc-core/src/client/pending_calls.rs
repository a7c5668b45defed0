//! The client without I/O: it encodes calls, and pairs responses with them.

use super::outgoing::Outgoing;
use super::outgoing_batch::{OutgoingBatch, missing_response};
use super::received::{Received, report};
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

/// The pending calls of one connection, without I/O: assigns ids, and pairs responses with calls.
///
/// The program sends the texts that its methods return, and passes received messages to
/// [`receive`](Self::receive).
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
    /// The pending calls, by number. The number of a call is its id, unless that is not a `u64`.
    pending: Pending<Entry>,
    /// The numbers of the calls whose ids are not a `u64`.
    non_u64_ids: HashMap<Id<'static>, u64>,
    /// The last number of such a call. These numbers are not sent. They count down from `u64::MAX`, so that
    /// they do not collide with ids that are.
    last_placeholder: u64,
    last_batch: u64,
    /// The batches with pending calls.
    batches: BTreeMap<u64, PendingBatch>,
    pairs_without_id: bool,
    observer: Option<Arc<dyn Observer>>,
    /// The connection of the events.
    connection: Option<ConnectionId>,
}

#[derive(Debug)]
struct Entry {
    /// The number of the batch, if the call is a member of one.
    batch: Option<u64>,
    /// The explicit id, if it is not a `u64`.
    non_u64_id: Option<Id<'static>>,
}

#[derive(Default)]
struct PendingBatch {
    /// The numbers of all calls of the batch.
    calls: Vec<u64>,
    pending: usize,
}

impl Default for PendingCalls {
    fn default() -> Self {
        Self::new()
    }
}

impl PendingCalls {
    /// Returns an empty table. The first id is 1.
    #[must_use]
    pub fn new() -> Self {
        PendingCalls {
            pending: Pending::new(),
            non_u64_ids: HashMap::new(),
            last_placeholder: u64::MAX,
            last_batch: 0,
            batches: BTreeMap::new(),
            pairs_without_id: false,
            observer: None,
            connection: None,
        }
    }

    /// Pairs a response that names no call with the only pending call, or with all calls of the only pending
    /// batch. An error under the id null becomes the error of the call, a response without a readable id its
    /// [`ProtocolError`].
    ///
    /// Without this setting, or if other calls are pending, such a response is [discarded](Received::Discarded).
    ///
    /// [`ProtocolError`]: crate::client::ProtocolError
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

    /// Makes a call. Returns its id, which is pending from now on, and the text to send.
    ///
    /// # Errors
    ///
    /// [`ClientError::Encode`] if `params` do not serialize as an array, an object or null. The call is not
    /// pending then.
    pub fn call<P: Serialize + ?Sized>(&mut self, method: &str, params: &P) -> Result<(u64, String), ClientError> {
        Ok(self.send(Outgoing::new(method, params).map_err(ClientError::Encode)?))
    }

    /// Makes a call of an encoded message, such as a [`Caller`](crate::client::Caller) gets. An
    /// [explicit id](Outgoing::id) is replaced.
    pub fn send(&mut self, outgoing: Outgoing) -> (u64, String) {
        let id = self.insert(None);
        let text = outgoing.without_id().into_request(&Id::from(id));
        self.observe(EventKind::Sent { id: Some(id), text: text.as_bytes() });
        (id, text)
    }

    /// Adds a call that is encoded elsewhere, alone or in the batch of this number. Returns its id.
    pub(crate) fn insert(&mut self, batch: Option<u64>) -> u64 {
        let number = self.pending.insert(Entry { batch, non_u64_id: None });
        self.add_to_batch(batch, number);
        number
    }

    /// Adds a call with an explicit id. Returns its number, or `None` if the id is in use.
    pub(crate) fn insert_with_id(&mut self, id: &Id<'static>, batch: Option<u64>) -> Option<u64> {
        if let Some(number) = id.as_u64() {
            let is_free = self.pending.insert_with_id(number, Entry { batch, non_u64_id: None });
            if is_free {
                self.add_to_batch(batch, number);
            }
            return is_free.then_some(number);
        }
        if self.non_u64_ids.contains_key(id) {
            return None;
        }
        let number = loop {
            self.last_placeholder -= 1;
            let entry = Entry { batch, non_u64_id: Some(id.clone()) };
            if self.pending.insert_with_id(self.last_placeholder, entry) {
                break self.last_placeholder;
            }
        };
        self.non_u64_ids.insert(id.clone(), number);
        self.add_to_batch(batch, number);
        Some(number)
    }

    fn add_to_batch(&mut self, batch: Option<u64>, number: u64) {
        if let Some(batch) = batch {
            let batch = self.batches.entry(batch).or_default();
            batch.calls.push(number);
            batch.pending += 1;
        }
    }

    fn remove_from_batch(&mut self, batch: Option<u64>) {
        if let Some(number) = batch
            && let Some(batch) = self.batches.get_mut(&number)
        {
            batch.pending -= 1;
            if batch.pending == 0 {
                self.batches.remove(&number);
            }
        }
    }

    /// Returns the number of the pending call with this id.
    fn number(&self, id: &Id<'_>) -> Option<u64> {
        match id.as_u64() {
            Some(number) => self.is_pending_id(number).then_some(number),
            None if self.non_u64_ids.is_empty() => None,
            None => self.non_u64_ids.get(&id.clone().into_owned()).copied(),
        }
    }

    /// Returns whether a pending call was sent with this number as its id.
    fn is_pending_id(&self, number: u64) -> bool {
        self.pending.get(number).is_some_and(|entry| entry.non_u64_id.is_none())
    }

    /// Removes a call. Returns its number, and that of its batch.
    fn complete(&mut self, number: u64) -> Option<(u64, Option<u64>)> {
        let Entry { batch, non_u64_id } = self.pending.take(number)?;
        if let Some(id) = non_u64_id {
            self.non_u64_ids.remove(&id);
        }
        self.remove_from_batch(batch);
        Some((number, batch))
    }

    /// Removes the call that was sent with this number as its id. Returns false if it is not pending.
    pub(crate) fn complete_number(&mut self, number: u64) -> bool {
        self.is_pending_id(number) && self.complete(number).is_some()
    }

    /// Returns a number for a new batch.
    pub(crate) fn next_batch(&mut self) -> u64 {
        self.last_batch += 1;
        self.last_batch
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

    /// Makes a notification. Returns the text to send.
    ///
    /// # Errors
    ///
    /// The same as those of [`PendingCalls::call`].
    pub fn notify<P: Serialize + ?Sized>(&mut self, method: &str, params: &P) -> Result<String, ClientError> {
        let text = Outgoing::new(method, params).map_err(ClientError::Encode)?.into_notification();
        self.observe(EventKind::Sent { id: None, text: text.as_bytes() });
        Ok(text)
    }

    /// Makes a batch. Returns the ids of its calls, which are pending from now on, and the text to send.
    /// Explicit ids are replaced.
    ///
    /// ```
    /// use rpc_core::client::{Outgoing, OutgoingBatch, PendingCalls, Received};
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

    /// Parses a received message, and completes the calls to which it responds.
    ///
    /// Returns one event for a single message, or one for each member of an array. A call whose batch got an
    /// array without a response to it fails, with an event of its own. A response that belongs to no pending
    /// call is [discarded](Received::Discarded).
    pub fn receive<'m>(&mut self, message: &'m [u8]) -> Vec<Received<'m>> {
        let mut received = Vec::new();
        match Incoming::read_with_texts(message) {
            Err(single) => {
                self.pair(single, message, &mut received);
            }
            Ok(members) if members.len() == 1 => {
                let batches = members
                    .into_iter()
                    .filter_map(|(member, text)| self.pair(member, text.as_bytes(), &mut received))
                    .collect();
                self.fail_missing(&batches, message, &mut received);
            }
            Ok(members) => {
                let (mut batches, mut unidentified) = (BTreeSet::new(), Vec::new());
                for (member, text) in members {
                    if let ResponseTarget::Unidentified = ResponseTarget::from_message(&member) {
                        unidentified.push((member, text));
                    } else {
                        batches.extend(self.pair(member, text.as_bytes(), &mut received));
                    }
                }
                // Only after the others are paired can a response without an id belong to the one call that
                // is left.
                for (member, text) in unidentified {
                    self.pair_unidentified(member, text.as_bytes(), &batches, &mut received);
                }
                self.fail_missing(&batches, message, &mut received);
            }
        }
        received
    }

    /// Pairs a message with a call. Returns the batch of the call.
    fn pair<'m>(&mut self, message: Message<'m>, text: &[u8], received: &mut Vec<Received<'m>>) -> Option<u64> {
        let completed: Vec<_> = match ResponseTarget::from_message(&message) {
            ResponseTarget::ById(id) => self.number(id).and_then(|number| self.complete(number)).into_iter().collect(),
            ResponseTarget::Unidentified => self.complete_sole(),
            ResponseTarget::NotAResponse => Vec::new(),
        };
        self.report(message, text, &completed, received);
        completed.first().and_then(|(_, batch)| *batch)
    }

    /// Pairs a member that names no call, in an array of responses to calls of `batches`.
    fn pair_unidentified<'m>(
        &mut self,
        message: Message<'m>,
        text: &[u8],
        batches: &BTreeSet<u64>,
        received: &mut Vec<Received<'m>>,
    ) {
        let calls = batches.iter().filter_map(|number| self.batches.get(number)).flat_map(|batch| &batch.calls);
        let left: Vec<u64> = calls.copied().filter(|number| self.pending.contains(*number)).take(2).collect();
        let completed = match (&left[..], self.pairs_without_id) {
            ([only], true) => self.complete(*only).into_iter().collect(),
            ([], true) if self.pending.len() == 1 => self.complete_sole(),
            _ => Vec::new(),
        };
        self.report(message, text, &completed, received);
    }

    /// Removes the only pending call, or all calls of the only pending batch. If others are pending, removes
    /// none.
    fn complete_sole(&mut self) -> Vec<(u64, Option<u64>)> {
        let (true, Some((_, Entry { batch, .. }))) = (self.pairs_without_id, self.pending.iter().next()) else {
            return Vec::new();
        };
        let in_batch = batch.and_then(|number| self.batches.get(&number)).map_or(1, |batch| batch.pending);
        let is_sole = self.pending.len() == in_batch;
        let numbers: Vec<_> = if is_sole { self.pending.ids().collect() } else { Vec::new() };
        numbers.into_iter().filter_map(|number| self.complete(number)).collect()
    }

    /// Fails the calls of these batches that are still pending: their responses will not arrive.
    fn fail_missing(&mut self, batches: &BTreeSet<u64>, text: &[u8], received: &mut Vec<Received<'_>>) {
        let batches = batches.iter().filter_map(|number| self.batches.remove(number));
        let calls: Vec<u64> = batches.flat_map(|batch| batch.calls).collect();
        for id in calls {
            if self.complete(id).is_some() {
                let event = Received::Failed { id, error: missing_response(&String::from_utf8_lossy(text)) };
                self.show_all(std::slice::from_ref(&event), text);
                received.push(event);
            }
        }
    }

    /// Adds the events of a message that completes these calls, and shows them to the observer.
    fn report<'m>(
        &self,
        message: Message<'m>,
        text: &[u8],
        completed: &[(u64, Option<u64>)],
        received: &mut Vec<Received<'m>>,
    ) {
        let first = received.len();
        report(message, text, completed.iter().map(|(number, _)| *number), received);
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
        let incoming = |kind, id, method| EventKind::Received { kind, id, method, reason: None, text };
        self.observe(match received {
            Received::Request(request) => incoming(MessageKind::Request, Some(&request.id), Some(&*request.method)),
            Received::Notification(notification) => {
                incoming(MessageKind::Notification, None, Some(&*notification.method))
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

    /// Forgets a pending call, whose response is then discarded. Returns `false` if it is not pending.
    pub fn forget(&mut self, id: u64) -> bool {
        self.complete(id).is_some()
    }

    /// Returns the ids of the pending calls, in ascending order.
    pub fn pending(&self) -> impl Iterator<Item = u64> + '_ {
        self.pending.ids()
    }
}

impl fmt::Debug for PendingCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCalls").field("pending", &self.pending).finish_non_exhaustive()
    }
}
