//! Who waits for which reply of the other side. An id leaves this table once, with its outcome.

use crate::client::{Calls, Received};
use crate::error::{CallError, CloseReason};
use crate::wire::{ErrorObject, Id, Message, write_error, write_result};
use std::collections::{BTreeMap, HashMap};
use std::task::Waker;

/// What a call is known by: a number of ours, or an id of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Number(u64),
    Own(Id<'static>),
}

/// What became of a call.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The text of the reply.
    Reply(String),
    /// No reply comes.
    Failed(CallError),
    /// The batch that the call was sent in was refused as a whole.
    Refused(ErrorObject),
}

/// A call that waits: whom to wake, or what to find.
#[derive(Debug, Default)]
struct Waiter {
    waker: Option<Waker>,
    outcome: Option<Outcome>,
}

/// The calls of one connection that nobody has taken the outcome of yet.
#[derive(Debug)]
pub(super) struct Waiting {
    calls: Calls,
    numbered: BTreeMap<u64, Waiter>,
    own: HashMap<Id<'static>, Waiter>,
}

impl Waiting {
    pub(super) fn with(calls: Calls) -> Self {
        Waiting { calls, numbered: BTreeMap::new(), own: HashMap::new() }
    }

    /// A new call, in a batch of this number or alone. `None` when the id of its own is in use.
    pub(super) fn open(&mut self, own: Option<&Id<'static>>, batch: Option<u64>) -> Option<Key> {
        match own {
            Some(id) => {
                let is_taken =
                    self.own.contains_key(id) || id.as_u64().is_some_and(|number| self.numbered.contains_key(&number));
                if is_taken {
                    return None;
                }
                self.own.insert(id.clone(), Waiter::default());
                Some(Key::Own(id.clone()))
            }
            None => {
                let mut number = self.calls.open(batch);
                while !self.own.is_empty() && self.own.contains_key(&Id::from(number)) {
                    self.calls.forget(number);
                    number = self.calls.open(batch);
                }
                self.numbered.insert(number, Waiter::default());
                Some(Key::Number(number))
            }
        }
    }

    /// A number for a batch.
    pub(super) fn batch(&mut self) -> u64 {
        self.calls.open_batch()
    }

    fn waiter(&mut self, key: &Key) -> Option<&mut Waiter> {
        match key {
            Key::Number(number) => self.numbered.get_mut(number),
            Key::Own(id) => self.own.get_mut(id),
        }
    }

    /// The outcome, if there is one; else `waker` is woken when there is. A waker that is not needed any more comes
    /// back.
    pub(super) fn poll(&mut self, key: &Key, waker: Waker) -> (Option<Outcome>, Option<Waker>) {
        match self.waiter(key) {
            Some(waiter) if waiter.outcome.is_none() => (None, waiter.waker.replace(waker)),
            _ => (self.remove(key), Some(waker)),
        }
    }

    /// Gives a call up. True when it still waited for its reply.
    pub(super) fn give_up(&mut self, key: &Key) -> bool {
        match key {
            Key::Number(number) => {
                self.numbered.remove(number);
                self.calls.forget(*number)
            }
            Key::Own(id) => self.own.remove(id).is_some_and(|waiter| waiter.outcome.is_none()),
        }
    }

    fn remove(&mut self, key: &Key) -> Option<Outcome> {
        match key {
            Key::Number(number) => self.numbered.remove(number)?.outcome,
            Key::Own(id) => self.own.remove(id)?.outcome,
        }
    }

    fn end(&mut self, key: &Key, outcome: Outcome, wakers: &mut Vec<Waker>) {
        if let Some(waiter) = self.waiter(key).filter(|waiter| waiter.outcome.is_none()) {
            waiter.outcome = Some(outcome);
            wakers.extend(waiter.waker.take());
        }
    }

    /// The reply to the call of this number, the usual case. False when nobody waits for it.
    pub(super) fn answer(&mut self, number: u64, text: &str, wakers: &mut Vec<Waker>) -> bool {
        if !self.own.is_empty() || !self.calls.forget(number) {
            return false;
        }
        self.end(&Key::Number(number), Outcome::Reply(text.to_owned()), wakers);
        true
    }

    /// A message that is a reply, or an array of such.
    pub(super) fn receive(&mut self, message: &[u8], wakers: &mut Vec<Waker>) {
        if !self.own.is_empty() && self.receive_own(message, wakers) {
            return;
        }
        // What names no call can be meant for one with an id of its own.
        let received =
            if self.own.is_empty() { self.calls.receive(message) } else { self.calls.receive_named(message) };
        let is_whole = received.len() > 1 && !is_array(message);
        for received in received {
            let (number, outcome) = match received {
                Received::Answered { id, outcome: Err(object) } if is_whole => (id, Outcome::Refused(object)),
                Received::Answered { id, outcome } => {
                    let mut text = Vec::new();
                    let token = id.to_string();
                    match outcome {
                        // Raw JSON is written as it is.
                        Ok(result) => drop(write_result(&mut text, &token, result)),
                        Err(object) => write_error(&mut text, &token, &object),
                    }
                    (id, Outcome::Reply(String::from_utf8_lossy(&text).into_owned()))
                }
                Received::Failed { id, error } => (id, Outcome::Failed(CallError::Protocol(error))),
                Received::Request(_) | Received::Notification(_) | Received::Dropped(_) => continue,
            };
            self.end(&Key::Number(number), outcome, wakers);
        }
    }

    /// A reply to a call with an id of its own. False when it is none.
    fn receive_own(&mut self, message: &[u8], wakers: &mut Vec<Waker>) -> bool {
        let Ok(text) = std::str::from_utf8(message) else { return false };
        let id = match Message::read(text) {
            Message::Response(response) => response.id,
            Message::Invalid(invalid) => match invalid.id {
                Some(id) => id,
                None => return false,
            },
            Message::Request(_) | Message::Notification(_) => return false,
        };
        let key = Key::Own(id.into_owned());
        let is_open = self.waiter(&key).is_some_and(|waiter| waiter.outcome.is_none());
        self.end(&key, Outcome::Reply(text.to_owned()), wakers);
        is_open
    }

    /// Ends every call.
    pub(super) fn close(&mut self, reason: &CloseReason, wakers: &mut Vec<Waker>) {
        let numbers = self.numbered.keys().map(|number| Key::Number(*number));
        let keys: Vec<_> = numbers.chain(self.own.keys().cloned().map(Key::Own)).collect();
        for key in keys {
            if let Key::Number(number) = key {
                self.calls.forget(number);
            }
            self.end(&key, Outcome::Failed(CallError::Closed(reason.clone())), wakers);
        }
    }

    /// How many calls wait for their reply.
    pub(super) fn open_calls(&self) -> usize {
        self.calls.pending().count() + self.own.values().filter(|waiter| waiter.outcome.is_none()).count()
    }

    /// Shows that something was sent.
    pub(super) fn show_sent(&self, text: &[u8]) {
        self.calls.show_sent(text);
    }
}

fn is_array(message: &[u8]) -> bool {
    message.trim_ascii_start().starts_with(b"[")
}
