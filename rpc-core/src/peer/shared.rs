//! What the handles of a connection and its loop share. No lock is held while something is woken, nor while a
//! waker is dropped: it may be the last that holds a task, and with it calls of this connection.

use super::call_table::{CallKey, CallOutcome, CallTable};
use crate::client::{Outgoing, OutgoingBatch, PendingCalls};
use crate::error::{CallError, CloseReason};
use crate::observe::Observer;
use crate::profile::Profile;
use crate::transport::Messages;
use crate::wire::Id;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// One connection, as its handles and its loop see it.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    pub(crate) profile: Profile,
    /// Bytes that may wait to be sent before senders wait.
    room: usize,
    /// Messages whose handlers wait for the other side, and hold up nobody meanwhile.
    blocked_messages: AtomicUsize,
}

#[derive(Debug)]
struct State {
    outbox: Messages,
    waiting: CallTable,
    /// The loop.
    writer: Option<Waker>,
    /// What waits for room, in the order in which it was handed over.
    queue: BTreeMap<u64, Queued>,
    /// Who waits for the end, by their tickets.
    watching: BTreeMap<u64, Waker>,
    tickets: u64,
    /// Messages from this ticket on were never sent: the connection ended before.
    lost_from: Option<u64>,
    is_shutting_down: bool,
    closed: Option<CloseReason>,
}

/// A message that waits for room.
#[derive(Debug)]
struct Queued {
    text: String,
    /// Who wants to know when it is sent.
    sender: Option<Waker>,
}

/// What was handed over, and the ticket under which it waits for room, if it does.
#[derive(Debug)]
pub(super) struct Submitted<T> {
    pub(super) what: T,
    pub(super) ticket: Option<u64>,
}

impl Shared {
    pub(crate) fn new(profile: Profile, room: usize, observer: Option<Arc<dyn Observer>>) -> Self {
        let mut calls = PendingCalls::new().pair_responses_without_id();
        if let Some(observer) = observer {
            calls = calls.observer(observer);
        }
        let state = State {
            outbox: Messages::new(),
            waiting: CallTable::with(calls),
            writer: None,
            queue: BTreeMap::new(),
            watching: BTreeMap::new(),
            tickets: 0,
            lost_from: None,
            is_shutting_down: false,
            closed: None,
        };
        Shared { state: Mutex::new(state), profile, room, blocked_messages: AtomicUsize::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the state, and wakes afterwards whom it says.
    fn change<T>(&self, change: impl FnOnce(&mut State, &mut Vec<Waker>) -> T) -> T {
        let mut wakers = Vec::new();
        let result = change(&mut self.state(), &mut wakers);
        wakers.into_iter().for_each(Waker::wake);
        result
    }

    /// Sends a call as soon as there is room and what was handed over before it has gone.
    pub(super) fn call(&self, outgoing: Outgoing) -> Result<Submitted<CallKey>, CallError> {
        self.post(|state| {
            let taken = || CallError::NotSent("an open call has the same id".into());
            // SPEC: the entry stands in the table before the first byte leaves.
            let key = state.waiting.open(outgoing.id(), None).ok_or_else(taken)?;
            let text = outgoing.into_request(&key.id());
            Ok((key, text))
        })
    }

    /// Sends a notification as a call.
    pub(super) fn notify(&self, outgoing: Outgoing) -> Result<Submitted<()>, CallError> {
        self.post(|_| Ok(((), outgoing.into_notification())))
    }

    /// Sends what `write` gives, or has it wait, if the connection lives.
    fn post<T>(
        &self,
        write: impl FnOnce(&mut State) -> Result<(T, String), CallError>,
    ) -> Result<Submitted<T>, CallError> {
        self.change(|state, wakers| {
            if let Some(reason) = &state.closed {
                return Err(CallError::Closed(reason.clone()));
            }
            let (what, text) = write(state)?;
            let has_room = state.outbox.byte_len() <= self.room;
            Ok(Submitted { what, ticket: state.post(text, has_room, wakers) })
        })
    }

    /// Whether a message under this ticket has been sent; if not yet, the sender is woken when it is.
    pub(super) fn sent(&self, ticket: u64, context: &mut Context<'_>) -> Option<Result<(), CallError>> {
        let waker = context.waker().clone();
        let mut state = self.state();
        // What is not needed any more is dropped when nothing is locked.
        let (sent, before) = match state.queue.get_mut(&ticket) {
            Some(queued) => (None, queued.sender.replace(waker)),
            None => (Some(state.was_sent(ticket)), Some(waker)),
        };
        drop(state);
        drop(before);
        sent
    }

    /// A notification is not to be sent any more, if it has not been.
    pub(super) fn take_back(&self, ticket: u64) {
        let _queued = self.state().queue.remove(&ticket);
    }

    /// Sends a batch behind what waits for room; it waits for no room itself.
    pub(super) fn batch(&self, batch: OutgoingBatch) -> Result<Submitted<Vec<CallKey>>, CallError> {
        if !self.profile.batches {
            return Err(CallError::Unsupported("the profile of this connection has no batches".into()));
        }
        self.change(|state, wakers| {
            if let Some(reason) = &state.closed {
                return Err(CallError::Closed(reason.clone()));
            }
            let number = state.waiting.batch();
            let (mut keys, mut is_taken) = (Vec::new(), false);
            for own in batch.explicit_ids() {
                match state.waiting.open(own, Some(number)) {
                    Some(key) => keys.push(key),
                    None => is_taken = true,
                }
            }
            if is_taken {
                for key in &keys {
                    state.waiting.give_up(key);
                }
                return Err(CallError::NotSent("an open call has the same id".into()));
            }
            let mut ids = keys.iter().filter(|key| !key.is_own()).map(CallKey::id);
            let sent = batch.encode(|| ids.next().unwrap_or(Id::NULL));
            let ticket = state.post(sent.into_text(), true, wakers);
            Ok(Submitted { what: keys, ticket })
        })
    }

    /// The outcome of a call, if there is one.
    pub(super) fn outcome(&self, key: &CallKey, context: &mut Context<'_>) -> Option<CallOutcome> {
        let waker = context.waker().clone();
        let (outcome, before) = self.state().waiting.poll(key, waker);
        drop(before);
        outcome
    }

    /// Gives calls up that were handed over under a ticket, and tells the other side, if they were sent and it has
    /// not answered.
    pub(super) fn give_up<'k>(&self, keys: impl Iterator<Item = &'k CallKey>, ticket: Option<u64>) {
        let _former = self.change(|state, wakers| {
            let unsent = ticket.and_then(|ticket| state.queue.remove(&ticket));
            let mut former = Vec::new();
            for key in keys {
                let (is_open, waker) = state.waiting.give_up(key);
                former.extend(waker);
                if is_open
                    && unsent.is_none()
                    && state.closed.is_none()
                    && self.profile.sends_cancels
                    && let Some(cancel) = &self.profile.cancel
                {
                    let params = HashMap::from([(&*cancel.id, key.id())]);
                    if let Ok(outgoing) = Outgoing::new(&cancel.method, &params) {
                        state.send(outgoing.into_notification().as_bytes(), wakers);
                    }
                }
            }
            (former, unsent)
        });
    }

    /// Sends an answer. It waits for no room: what is owed is held by what runs.
    pub(crate) fn response(&self, text: &[u8]) {
        self.change(|state, wakers| state.send_unseen(text, wakers));
    }

    /// A message that is a reply, or an array of replies. Gives back what is none, for the service to answer.
    pub(crate) fn receive(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.change(|state, wakers| state.waiting.receive(message, wakers))
    }

    /// The reply to the call of this number. False when nobody waits for it.
    pub(crate) fn receive_reply(&self, number: u64, text: &str) -> bool {
        self.change(|state, wakers| state.waiting.response(number, text, wakers))
    }

    /// Has the loop woken by whatever happens from now on.
    pub(crate) fn register_loop(&self, context: &mut Context<'_>) {
        let waker = context.waker().clone();
        // A waker is anybody's code: the one before is dropped when nothing is locked any more.
        let before = self.state().writer.replace(waker);
        drop(before);
    }

    /// Takes all that is to be sent, with as much of what waits as there is room for, in exchange for an empty
    /// outbox. False when there is nothing.
    ///
    /// Who answers finds the outbox empty then, whatever still waits: this side's calls starve no one.
    pub(crate) fn take_outbox(&self, empty: &mut Messages) -> bool {
        self.change(|state, wakers| {
            while state.outbox.byte_len() <= self.room
                && let Some((_, Queued { text, sender })) = state.queue.pop_first()
            {
                state.waiting.show_sent(text.as_bytes());
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

    /// Whether more waits to be sent than there is room for.
    pub(crate) fn is_full(&self) -> bool {
        self.state().outbox.byte_len() > self.room
    }

    /// Has the loop end when what runs has ended.
    pub(super) fn shutdown(&self) {
        self.change(|state, wakers| {
            state.is_shutting_down = true;
            wakers.extend(state.writer.take());
        });
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
        self.state().is_shutting_down
    }

    /// Ends every call: no reply will come. Gives the reason that counts, which is the first.
    pub(crate) fn close(&self, reason: CloseReason) -> CloseReason {
        self.change(|state, wakers| {
            let reason = state.closed.get_or_insert(reason).clone();
            state.waiting.close(&reason, wakers);
            let lost = std::mem::take(&mut state.queue);
            state.lost_from = state.lost_from.or(lost.keys().next().copied());
            wakers.extend(lost.into_values().filter_map(|queued| queued.sender));
            wakers.extend(std::mem::take(&mut state.watching).into_values());
            wakers.extend(state.writer.take());
            reason
        })
    }

    pub(super) fn close_reason(&self) -> Option<CloseReason> {
        self.state().closed.clone()
    }

    /// Why the connection has ended; else `waker` is woken when it does.
    pub(super) fn poll_closed(&self, ticket: &mut Option<u64>, waker: &Waker) -> Poll<CloseReason> {
        let waker = waker.clone();
        let (closed, _former) = {
            let mut state = self.state();
            if let Some(reason) = &state.closed {
                (Poll::Ready(reason.clone()), None)
            } else {
                state.tickets += u64::from(ticket.is_none());
                let ticket = *ticket.get_or_insert(state.tickets);
                (Poll::Pending, state.watching.insert(ticket, waker))
            }
        };
        closed
    }

    /// Somebody waits for the end no more.
    pub(super) fn unregister_closed(&self, ticket: u64) {
        let _former = self.state().watching.remove(&ticket);
    }

    pub(crate) fn has_pending_calls(&self) -> bool {
        self.state().waiting.has_pending_calls()
    }

    pub(crate) fn pending_calls(&self) -> usize {
        self.state().waiting.pending_calls()
    }

    /// How many messages have only handlers that wait for the other side.
    pub(crate) fn blocked_messages(&self) -> usize {
        self.blocked_messages.load(Ordering::Acquire)
    }

    /// One more such message, or one less.
    pub(super) fn lend(&self, is_waiting: bool) {
        if is_waiting {
            self.blocked_messages.fetch_add(1, Ordering::AcqRel);
        } else {
            self.blocked_messages.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Wakes the loop.
    pub(super) fn wake(&self) {
        self.change(|state, wakers| wakers.extend(state.writer.take()));
    }
}

impl State {
    /// Sends a message, or has it wait: behind what waits, or for room. Gives the ticket under which it waits.
    fn post(&mut self, text: String, has_room: bool, wakers: &mut Vec<Waker>) -> Option<u64> {
        if has_room && self.queue.is_empty() {
            self.send(text.as_bytes(), wakers);
            return None;
        }
        self.tickets += 1;
        self.queue.insert(self.tickets, Queued { text, sender: None });
        Some(self.tickets)
    }

    /// What became of a message that waits no more.
    fn was_sent(&self, ticket: u64) -> Result<(), CallError> {
        match (&self.closed, self.lost_from) {
            (Some(reason), Some(lost)) if ticket >= lost => Err(CallError::Closed(reason.clone())),
            _ => Ok(()),
        }
    }

    fn send(&mut self, text: &[u8], wakers: &mut Vec<Waker>) {
        self.waiting.show_sent(text);
        self.send_unseen(text, wakers);
    }

    fn send_unseen(&mut self, text: &[u8], wakers: &mut Vec<Waker>) {
        self.outbox.push(text);
        wakers.extend(self.writer.take());
    }
}
