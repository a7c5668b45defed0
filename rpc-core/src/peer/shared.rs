//! The state that the handles of a connection share with its loop.
//!
//! No lock is held while a waker is woken or dropped: dropping one may drop a task, and with it calls of this
//! connection.

use super::call_table::{CallKey, CallOutcome, CallTable};
use crate::client::{BoxFuture, Outgoing, OutgoingBatch, PendingCalls};
use crate::connection_id::ConnectionId;
use crate::error::{ClientError, CloseReason};
use crate::extensions::Extensions;
use crate::observe::Observer;
use crate::profile::Profile;
use crate::time::Timer;
use crate::transport::Messages;
use crate::wire::Id;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// One connection, as its handles and its loop see it.
pub(crate) struct Shared {
    id: ConnectionId,
    state: Mutex<State>,
    pub(crate) profile: Profile,
    extensions: Extensions,
    timer: Arc<dyn Timer>,
    call_timeout: Option<Duration>,
    /// The unsent bytes above which messages wait.
    unsent_limit: usize,
    /// The number of messages whose handlers all wait for calls to the peer.
    blocked_messages: AtomicUsize,
}

/// The settings that a connection's handles and its loop share.
pub(crate) struct SharedConfig {
    pub(crate) profile: Profile,
    pub(crate) unsent_bytes: usize,
    pub(crate) extensions: Extensions,
    pub(crate) timer: Arc<dyn Timer>,
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

#[derive(Debug)]
struct State {
    outbox: Messages,
    calls: CallTable,
    /// The waker of the loop.
    loop_waker: Option<Waker>,
    /// Messages that wait for room in the outbox, in the order of their tickets.
    queue: BTreeMap<u64, Queued>,
    /// The wakers of tasks that wait for the end of the connection, by their tickets.
    closed_wakers: BTreeMap<u64, Waker>,
    last_ticket: u64,
    /// The first ticket whose message was not sent because the connection ended.
    lost_from: Option<u64>,
    is_shutting_down: bool,
    close_reason: Option<CloseReason>,
}

/// A message that waits for room.
#[derive(Debug)]
struct Queued {
    text: String,
    /// The waker of a task that waits until the message is sent.
    sender: Option<Waker>,
}

/// A message that was handed over, with its ticket if it waits for room.
#[derive(Debug)]
pub(super) struct Submitted<T> {
    pub(super) item: T,
    pub(super) ticket: Option<u64>,
}

impl Shared {
    pub(crate) fn new(config: SharedConfig) -> Self {
        let SharedConfig { profile, unsent_bytes, extensions, timer, call_timeout, observer } = config;
        let id = ConnectionId::next();
        let mut calls = PendingCalls::new().pair_responses_without_id().connection(id);
        if let Some(observer) = observer {
            calls = calls.observer(observer);
        }
        let state = State {
            outbox: Messages::new(),
            calls: CallTable::new(calls),
            loop_waker: None,
            queue: BTreeMap::new(),
            closed_wakers: BTreeMap::new(),
            last_ticket: 0,
            lost_from: None,
            is_shutting_down: false,
            close_reason: None,
        };
        Shared {
            id,
            state: Mutex::new(state),
            profile,
            extensions,
            timer,
            call_timeout,
            unsent_limit: unsent_bytes,
            blocked_messages: AtomicUsize::new(0),
        }
    }

    pub(crate) fn id(&self) -> ConnectionId {
        self.id
    }

    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Returns the timeout of calls that set none.
    pub(super) fn call_timeout(&self) -> Option<Duration> {
        self.call_timeout
    }

    /// Returns a future that resolves after `timeout`; `None` for no timeout.
    pub(super) fn sleep(&self, timeout: Option<Duration>) -> Option<BoxFuture<()>> {
        timeout.map(|timeout| self.timer.sleep(timeout))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and then wakes the wakers that `change` collects.
    fn change<T>(&self, change: impl FnOnce(&mut State, &mut Vec<Waker>) -> T) -> T {
        let mut wakers = Vec::new();
        let result = change(&mut self.state(), &mut wakers);
        wakers.into_iter().for_each(Waker::wake);
        result
    }

    /// Sends a call, behind the messages that wait for room.
    pub(super) fn call(&self, outgoing: Outgoing) -> Result<Submitted<CallKey>, ClientError> {
        self.submit(|state| {
            let in_use = || ClientError::NotSent("a pending call has the same id".into());
            // The call is in the table before its first byte is sent.
            let key = state.calls.insert(outgoing.id(), None).ok_or_else(in_use)?;
            let text = outgoing.into_request(&key.id());
            Ok((key, text))
        })
    }

    /// Sends a notification, behind the messages that wait for room.
    pub(super) fn notify(&self, outgoing: Outgoing) -> Result<Submitted<()>, ClientError> {
        self.submit(|_| Ok(((), outgoing.into_notification())))
    }

    fn submit<T>(
        &self,
        encode: impl FnOnce(&mut State) -> Result<(T, String), ClientError>,
    ) -> Result<Submitted<T>, ClientError> {
        self.change(|state, wakers| {
            if let Some(reason) = &state.close_reason {
                return Err(ClientError::Closed(reason.clone()));
            }
            let (item, text) = encode(state)?;
            let has_room = state.outbox.byte_len() <= self.unsent_limit;
            Ok(Submitted { item, ticket: state.submit(text, has_room, wakers) })
        })
    }

    /// Returns whether the message of this ticket was sent; `None` while it waits, and then wakes the task later.
    pub(super) fn poll_sent(&self, ticket: u64, context: &mut Context<'_>) -> Option<Result<(), ClientError>> {
        let waker = context.waker().clone();
        let mut state = self.state();
        let (sent, unused) = match state.queue.get_mut(&ticket) {
            Some(queued) => (None, queued.sender.replace(waker)),
            None => (Some(state.send_result(ticket)), Some(waker)),
        };
        drop(state);
        drop(unused);
        sent
    }

    /// Removes a message that has not been sent.
    pub(super) fn withdraw(&self, ticket: u64) {
        let _queued = self.state().queue.remove(&ticket);
    }

    /// Sends a batch behind the messages that wait for room. The batch itself does not wait for room.
    pub(super) fn batch(&self, batch: OutgoingBatch) -> Result<Submitted<Vec<CallKey>>, ClientError> {
        if !self.profile.batches {
            return Err(ClientError::Unsupported("the profile of this connection has no batches".into()));
        }
        self.change(|state, wakers| {
            if let Some(reason) = &state.close_reason {
                return Err(ClientError::Closed(reason.clone()));
            }
            let number = state.calls.next_batch();
            let (mut keys, mut is_in_use) = (Vec::new(), false);
            for id in batch.explicit_ids() {
                match state.calls.insert(id, Some(number)) {
                    Some(key) => keys.push(key),
                    None => is_in_use = true,
                }
            }
            if is_in_use {
                for key in &keys {
                    state.calls.remove(key);
                }
                return Err(ClientError::NotSent("a pending call has the same id".into()));
            }
            let mut ids = keys.iter().filter(|key| !key.has_explicit_id()).map(CallKey::id);
            let encoded = batch.encode(|| ids.next().unwrap_or(Id::NULL));
            let ticket = state.submit(encoded.into_text(), true, wakers);
            Ok(Submitted { item: keys, ticket })
        })
    }

    /// Returns the outcome of a call; `None` while it is pending, and then wakes the task later.
    pub(super) fn poll_outcome(&self, key: &CallKey, context: &mut Context<'_>) -> Option<CallOutcome> {
        let waker = context.waker().clone();
        let (outcome, unused) = self.state().calls.poll(key, waker);
        drop(unused);
        outcome
    }

    /// Cancels calls that were submitted under a ticket. The peer is notified if they were sent and are pending.
    pub(super) fn cancel<'k>(&self, keys: impl Iterator<Item = &'k CallKey>, ticket: Option<u64>) {
        let _unused = self.change(|state, wakers| {
            let unsent = ticket.and_then(|ticket| state.queue.remove(&ticket));
            let mut unused = Vec::new();
            for key in keys {
                let (is_pending, waker) = state.calls.remove(key);
                unused.extend(waker);
                if is_pending
                    && unsent.is_none()
                    && state.close_reason.is_none()
                    && self.profile.sends_cancels
                    && let Some(cancel) = &self.profile.cancel
                {
                    let params = HashMap::from([(&*cancel.id, key.id())]);
                    if let Ok(outgoing) = Outgoing::new(&cancel.method, &params) {
                        state.send(outgoing.into_notification().as_bytes(), wakers);
                    }
                }
            }
            (unused, unsent)
        });
    }

    /// Sends a response. It does not wait for room: running calls are limited themselves.
    pub(crate) fn send_response(&self, text: &[u8]) {
        self.change(|state, wakers| state.push(text, wakers));
    }

    /// Receives a response, or an array of responses. Returns the messages among them that turn out to be none, for the
    /// service to respond to.
    pub(crate) fn receive(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.change(|state, wakers| state.calls.receive(message, wakers))
    }

    /// Completes the call of this number with its response. Returns false if no such call is pending.
    pub(crate) fn complete(&self, number: u64, text: &str) -> bool {
        self.change(|state, wakers| state.calls.complete(number, text, wakers))
    }

    /// Registers the waker of the loop, which any change wakes from now on.
    pub(crate) fn register_loop(&self, context: &mut Context<'_>) {
        let waker = context.waker().clone();
        let before = self.state().loop_waker.replace(waker);
        drop(before);
    }

    /// Takes all output in exchange for an empty outbox, with as many waiting messages as there is room for. Returns
    /// false if there is no output.
    ///
    /// Responses find an empty outbox afterwards, whatever still waits: this side's calls do not starve them.
    pub(crate) fn take_outbox(&self, empty: &mut Messages) -> bool {
        self.change(|state, wakers| {
            while state.outbox.byte_len() <= self.unsent_limit
                && let Some((_, Queued { text, sender })) = state.queue.pop_first()
            {
                state.calls.show_sent(text.as_bytes());
                state.outbox.push(text.as_bytes());
                wakers.extend(sender);
            }
            if state.outbox.is_empty() {
                return false;
            }
            std::mem::swap(&mut state.outbox, empty);
            true
        })
    }

    /// Returns whether there are more unsent bytes than the limit.
    pub(crate) fn is_full(&self) -> bool {
        self.state().outbox.byte_len() > self.unsent_limit
    }

    /// Begins a shutdown: the loop ends when the running calls have ended.
    pub(super) fn shutdown(&self) {
        self.change(|state, wakers| {
            state.is_shutting_down = true;
            wakers.extend(state.loop_waker.take());
        });
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
        self.state().is_shutting_down
    }

    /// Ends all pending calls, and returns the reason that counts, which is the first.
    pub(crate) fn close(&self, reason: CloseReason) -> CloseReason {
        self.change(|state, wakers| {
            let reason = state.close_reason.get_or_insert(reason).clone();
            state.calls.close(&reason, wakers);
            let lost = std::mem::take(&mut state.queue);
            state.lost_from = state.lost_from.or(lost.keys().next().copied());
            wakers.extend(lost.into_values().filter_map(|queued| queued.sender));
            wakers.extend(std::mem::take(&mut state.closed_wakers).into_values());
            wakers.extend(state.loop_waker.take());
            reason
        })
    }

    pub(super) fn close_reason(&self) -> Option<CloseReason> {
        self.state().close_reason.clone()
    }

    /// Resolves to the reason when the connection has ended. `ticket` keeps the place of `waker` between polls.
    pub(super) fn poll_closed(&self, ticket: &mut Option<u64>, waker: &Waker) -> Poll<CloseReason> {
        let waker = waker.clone();
        let (closed, _unused) = {
            let mut state = self.state();
            if let Some(reason) = &state.close_reason {
                (Poll::Ready(reason.clone()), None)
            } else {
                state.last_ticket += u64::from(ticket.is_none());
                let ticket = *ticket.get_or_insert(state.last_ticket);
                (Poll::Pending, state.closed_wakers.insert(ticket, waker))
            }
        };
        closed
    }

    /// Removes the waker of a task that no longer waits for the end.
    pub(super) fn unregister_closed(&self, ticket: u64) {
        let _unused = self.state().closed_wakers.remove(&ticket);
    }

    pub(crate) fn has_pending_calls(&self) -> bool {
        self.state().calls.has_pending()
    }

    pub(crate) fn pending_calls(&self) -> usize {
        self.state().calls.pending()
    }

    /// Returns the number of messages whose handlers all wait for calls to the peer.
    pub(crate) fn blocked_messages(&self) -> usize {
        self.blocked_messages.load(Ordering::Acquire)
    }

    /// Counts one such message more, or one less.
    pub(super) fn count_blocked(&self, is_blocked: bool) {
        if is_blocked {
            self.blocked_messages.fetch_add(1, Ordering::AcqRel);
        } else {
            self.blocked_messages.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Wakes the loop.
    pub(super) fn wake(&self) {
        self.change(|state, wakers| wakers.extend(state.loop_waker.take()));
    }
}

impl State {
    /// Sends a message, or queues it behind others or for room. Returns the ticket of a queued one.
    fn submit(&mut self, text: String, has_room: bool, wakers: &mut Vec<Waker>) -> Option<u64> {
        if has_room && self.queue.is_empty() {
            self.send(text.as_bytes(), wakers);
            return None;
        }
        self.last_ticket += 1;
        self.queue.insert(self.last_ticket, Queued { text, sender: None });
        Some(self.last_ticket)
    }

    /// Returns whether a message that is no longer queued was sent.
    fn send_result(&self, ticket: u64) -> Result<(), ClientError> {
        match (&self.close_reason, self.lost_from) {
            (Some(reason), Some(lost)) if ticket >= lost => Err(ClientError::Closed(reason.clone())),
            _ => Ok(()),
        }
    }

    fn send(&mut self, text: &[u8], wakers: &mut Vec<Waker>) {
        self.calls.show_sent(text);
        self.push(text, wakers);
    }

    fn push(&mut self, text: &[u8], wakers: &mut Vec<Waker>) {
        self.outbox.push(text);
        wakers.extend(self.loop_waker.take());
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("id", &self.id).field("state", &self.state).finish_non_exhaustive()
    }
}
