//! What the handles of a connection and its loop share. No lock is held while something is woken, nor while a
//! waker is dropped: it may be the last that holds a task, and with it calls of this connection.

use super::waiting::{Key, Outcome, Waiting};
use crate::client::{Calls, Outgoing, OutgoingBatch};
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
    waiting_handlers: AtomicUsize,
}

#[derive(Debug)]
struct State {
    outbox: Messages,
    waiting: Waiting,
    /// The loop.
    writer: Option<Waker>,
    /// Senders that wait for room, by their tickets.
    blocked: BTreeMap<u64, Waker>,
    /// Who waits for the end, by their tickets.
    watching: BTreeMap<u64, Waker>,
    tickets: u64,
    is_stopping: bool,
    closed: Option<CloseReason>,
}

/// How sending went.
pub(super) enum Sent<T> {
    Done(T),
    /// No room: it is to be tried again when woken.
    Later(Outgoing),
    Refused(CallError),
}

/// Who waits for room: each sender has one ticket, however often it asks.
pub(super) struct Wait<'w> {
    pub(super) ticket: &'w mut Option<u64>,
    pub(super) waker: &'w Waker,
}

impl Shared {
    pub(crate) fn new(profile: Profile, room: usize, observer: Option<Arc<dyn Observer>>) -> Self {
        let mut calls = Calls::new().claiming_unnamed_replies();
        if let Some(observer) = observer {
            calls = calls.observed_by(observer);
        }
        let state = State {
            outbox: Messages::new(),
            waiting: Waiting::with(calls),
            writer: None,
            blocked: BTreeMap::new(),
            watching: BTreeMap::new(),
            tickets: 0,
            is_stopping: false,
            closed: None,
        };
        Shared { state: Mutex::new(state), profile, room, waiting_handlers: AtomicUsize::new(0) }
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

    /// Sends a call, if there is room.
    pub(super) fn call(&self, outgoing: Outgoing, wait: Option<Wait<'_>>) -> Sent<Key> {
        self.send(outgoing, wait, |outgoing, state, wakers| {
            let Some(key) = state.waiting.open(outgoing.id(), None) else {
                return Sent::Refused(CallError::NotSent("an open call has the same id".into()));
            };
            // SPEC: the entry stands in the table before the first byte leaves.
            let text = outgoing.into_request(&key.id());
            state.send(text.as_bytes(), wakers);
            Sent::Done(key)
        })
    }

    /// Sends a notification, if there is room.
    pub(super) fn notify(&self, outgoing: Outgoing, wait: Option<Wait<'_>>) -> Sent<()> {
        self.send(outgoing, wait, |outgoing, state, wakers| {
            state.send(outgoing.into_notification().as_bytes(), wakers);
            Sent::Done(())
        })
    }

    /// Sends a message as `send` does, if the connection lives and there is room.
    fn send<T>(
        &self,
        outgoing: Outgoing,
        wait: Option<Wait<'_>>,
        send: impl FnOnce(Outgoing, &mut State, &mut Vec<Waker>) -> Sent<T>,
    ) -> Sent<T> {
        let mut former = None;
        self.change(|state, wakers| {
            if let Some(reason) = &state.closed {
                return Sent::Refused(CallError::Closed(reason.clone()));
            }
            if !state.has_room(self.room, wait, &mut former) {
                return Sent::Later(outgoing);
            }
            send(outgoing, state, wakers)
        })
    }

    /// A sender waits no more.
    pub(super) fn forget_sender(&self, ticket: u64) {
        let _former = self.state().blocked.remove(&ticket);
    }

    /// Sends a batch as soon as the last message before it: a batch waits for no room.
    pub(super) fn batch(&self, batch: OutgoingBatch) -> Result<Vec<Key>, CallError> {
        if !self.profile.batches {
            return Err(CallError::Unsupported("the profile of this connection has no batches".into()));
        }
        self.change(|state, wakers| {
            if let Some(reason) = &state.closed {
                return Err(CallError::Closed(reason.clone()));
            }
            let number = state.waiting.batch();
            let (mut keys, mut is_taken) = (Vec::new(), false);
            for own in batch.own_ids() {
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
            let mut ids = keys.iter().filter(|key| !key.is_own()).map(Key::id);
            let sent = batch.sent(|| ids.next().unwrap_or(Id::NULL));
            state.send(sent.text().as_bytes(), wakers);
            Ok(keys)
        })
    }

    /// The outcome of a call, if there is one.
    pub(super) fn outcome(&self, key: &Key, context: &mut Context<'_>) -> Option<Outcome> {
        let waker = context.waker().clone();
        let (outcome, before) = self.state().waiting.poll(key, waker);
        drop(before);
        outcome
    }

    /// Gives a call up, and tells the other side if it has not answered.
    pub(super) fn give_up(&self, key: &Key) {
        let _former = self.change(|state, wakers| {
            let (is_open, former) = state.waiting.give_up(key);
            if is_open
                && state.closed.is_none()
                && self.profile.sends_cancels
                && let Some(cancel) = &self.profile.cancel
            {
                let params = HashMap::from([(&*cancel.id, key.id())]);
                if let Ok(outgoing) = Outgoing::new(&cancel.method, &params) {
                    state.send(outgoing.into_notification().as_bytes(), wakers);
                }
            }
            former
        });
    }

    /// Sends an answer. It waits for no room: what is owed is held by what runs.
    pub(crate) fn answer(&self, text: &[u8]) {
        self.change(|state, wakers| state.send_unseen(text, wakers));
    }

    /// A message that is a reply, or an array of replies. Gives back what is none, for the service to answer.
    pub(crate) fn receive(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.change(|state, wakers| state.waiting.receive(message, wakers))
    }

    /// The reply to the call of this number. False when nobody waits for it.
    pub(crate) fn receive_reply(&self, number: u64, text: &str) -> bool {
        self.change(|state, wakers| state.waiting.answer(number, text, wakers))
    }

    /// Has the loop woken by whatever happens from now on.
    pub(crate) fn attend(&self, context: &mut Context<'_>) {
        let waker = context.waker().clone();
        // A waker is anybody's code: the one before is dropped when nothing is locked any more.
        let before = self.state().writer.replace(waker);
        drop(before);
    }

    /// Takes all that is to be sent in exchange for an empty outbox; wakes who waits for room. False when there
    /// is nothing.
    pub(crate) fn take_outbox(&self, empty: &mut Messages) -> bool {
        self.change(|state, wakers| {
            if state.outbox.is_empty() {
                return false;
            }
            std::mem::swap(&mut state.outbox, empty);
            wakers.extend(std::mem::take(&mut state.blocked).into_values());
            true
        })
    }

    /// Whether more waits to be sent than there is room for.
    pub(crate) fn is_full(&self) -> bool {
        self.state().outbox.bytes() > self.room
    }

    /// Has the loop end when what runs has ended.
    pub(super) fn stop(&self) {
        self.change(|state, wakers| {
            state.is_stopping = true;
            wakers.extend(state.writer.take());
        });
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.state().is_stopping
    }

    /// Ends every call: no reply will come. Gives the reason that counts, which is the first.
    pub(crate) fn close(&self, reason: CloseReason) -> CloseReason {
        self.change(|state, wakers| {
            let reason = state.closed.get_or_insert(reason).clone();
            state.waiting.close(&reason, wakers);
            wakers.extend(std::mem::take(&mut state.blocked).into_values());
            wakers.extend(std::mem::take(&mut state.watching).into_values());
            wakers.extend(state.writer.take());
            reason
        })
    }

    pub(super) fn closed(&self) -> Option<CloseReason> {
        self.state().closed.clone()
    }

    /// Why the connection has ended; else `waker` is woken when it does.
    pub(super) fn watch(&self, ticket: &mut Option<u64>, waker: &Waker) -> Poll<CloseReason> {
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
    pub(super) fn watch_no_more(&self, ticket: u64) {
        let _former = self.state().watching.remove(&ticket);
    }

    pub(crate) fn open_calls(&self) -> usize {
        self.state().waiting.open_calls()
    }

    /// How many messages have only handlers that wait for the other side.
    pub(crate) fn waiting_handlers(&self) -> usize {
        self.waiting_handlers.load(Ordering::Acquire)
    }

    /// One more such message, or one less.
    pub(super) fn lend(&self, is_waiting: bool) {
        if is_waiting {
            self.waiting_handlers.fetch_add(1, Ordering::AcqRel);
        } else {
            self.waiting_handlers.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Wakes the loop.
    pub(super) fn wake(&self) {
        self.change(|state, wakers| wakers.extend(state.writer.take()));
    }
}

impl State {
    /// Whether there is room; else who waits for it is woken when there may be.
    fn has_room(&mut self, room: usize, wait: Option<Wait<'_>>, former: &mut Option<Waker>) -> bool {
        let has_room = self.outbox.bytes() <= room;
        if let (false, Some(Wait { ticket, waker })) = (has_room, wait) {
            self.tickets += u64::from(ticket.is_none());
            *former = self.blocked.insert(*ticket.get_or_insert(self.tickets), waker.clone());
        }
        has_room
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
