//! Who waits for which reply of the other side. An id leaves this table once, with its outcome.

use crate::client::{PendingCalls, Received};
use crate::error::{CallError, CloseReason, DiscardReason};
use crate::wire::{ErrorObject, Id, Invalid, Reason, write_error, write_result};
use std::collections::BTreeMap;
use std::task::Waker;

/// What a call is known by: its number here, and the id that it was sent under.
#[derive(Clone, Debug)]
pub(super) struct CallKey {
    number: u64,
    own: Option<Id<'static>>,
}

impl CallKey {
    /// The id that the call was sent under.
    pub(super) fn id(&self) -> Id<'static> {
        self.own.clone().unwrap_or_else(|| Id::from(self.number))
    }

    /// Whether that is an id of its own.
    pub(super) fn is_own(&self) -> bool {
        self.own.is_some()
    }
}

/// What became of a call.
#[derive(Debug)]
pub(super) enum CallOutcome {
    /// The text of the reply.
    Response(String),
    /// No reply comes.
    Failed(CallError),
    /// The batch that the call was sent in was refused as a whole.
    Refused(ErrorObject),
}

/// A call that waits: whom to wake, or what to find.
#[derive(Debug, Default)]
struct PendingCall {
    /// The id that its reply is to carry, if that is not its number.
    own: Option<Id<'static>>,
    waker: Option<Waker>,
    outcome: Option<CallOutcome>,
}

/// The calls of one connection that nobody has taken the outcome of yet.
#[derive(Debug)]
pub(super) struct CallTable {
    calls: PendingCalls,
    waiters: BTreeMap<u64, PendingCall>,
}

impl CallTable {
    pub(super) fn with(calls: PendingCalls) -> Self {
        CallTable { calls, waiters: BTreeMap::new() }
    }

    /// A new call, in a batch of this number or alone. `None` when the id of its own is in use.
    pub(super) fn open(&mut self, own: Option<&Id<'static>>, batch: Option<u64>) -> Option<CallKey> {
        if own.and_then(Id::as_u64).is_some_and(|number| self.waiters.contains_key(&number)) {
            return None;
        }
        let number = loop {
            let number = match own {
                Some(own) => self.calls.open_under(own, batch)?,
                None => self.calls.open(batch),
            };
            // A call that was answered keeps its number until its outcome is taken.
            if !self.waiters.contains_key(&number) {
                break number;
            }
            self.calls.forget(number);
        };
        self.waiters.insert(number, PendingCall { own: own.cloned(), ..PendingCall::default() });
        Some(CallKey { number, own: own.cloned() })
    }

    /// A number for a batch.
    pub(super) fn batch(&mut self) -> u64 {
        self.calls.open_batch()
    }

    /// The outcome, if there is one; else `waker` is woken when there is. A waker that is not needed any more comes
    /// back.
    pub(super) fn poll(&mut self, key: &CallKey, waker: Waker) -> (Option<CallOutcome>, Option<Waker>) {
        match self.waiters.get_mut(&key.number) {
            Some(waiter) if waiter.outcome.is_none() => (None, waiter.waker.replace(waker)),
            _ => (self.waiters.remove(&key.number).and_then(|waiter| waiter.outcome), Some(waker)),
        }
    }

    /// Gives a call up. True when it still waited for its reply; gives back the waker that it had.
    pub(super) fn give_up(&mut self, key: &CallKey) -> (bool, Option<Waker>) {
        let waker = self.waiters.remove(&key.number).and_then(|waiter| waiter.waker);
        (self.calls.forget(key.number), waker)
    }

    fn end(&mut self, number: u64, outcome: CallOutcome, wakers: &mut Vec<Waker>) {
        if let Some(waiter) = self.waiters.get_mut(&number).filter(|waiter| waiter.outcome.is_none()) {
            waiter.outcome = Some(outcome);
            wakers.extend(waiter.waker.take());
        }
    }

    /// The reply to the call of this number, the usual case. False when nobody waits for it.
    pub(super) fn response(&mut self, number: u64, text: &str, wakers: &mut Vec<Waker>) -> bool {
        let is_open = self.calls.response(number);
        if is_open {
            self.end(number, CallOutcome::Response(text.to_owned()), wakers);
        }
        is_open
    }

    /// A message that is a reply, or an array of such. Gives back what turned out to be none: it has an id that
    /// no call waits under, and nothing that a reply has, so it is owed an answer.
    pub(super) fn receive(&mut self, message: &[u8], wakers: &mut Vec<Waker>) -> Option<Vec<u8>> {
        let received = self.calls.receive(message);
        let is_array = is_array(message);
        let is_whole = received.len() > 1 && !is_array;
        let mut others = Vec::new();
        for received in received {
            let (number, outcome) = match received {
                Received::Response { id, outcome: Err(object) } if is_whole => (id, CallOutcome::Refused(object)),
                Received::Response { id, outcome } => {
                    let mut text = Vec::new();
                    let own = self.waiters.get(&id).and_then(|waiter| waiter.own.clone());
                    let sent = own.unwrap_or_else(|| Id::from(id));
                    match outcome {
                        // Raw JSON is written as it is.
                        Ok(result) => drop(write_result(&mut text, sent.as_token(), result)),
                        Err(object) => write_error(&mut text, sent.as_token(), &object),
                    }
                    (id, CallOutcome::Response(String::from_utf8_lossy(&text).into_owned()))
                }
                Received::Failed { id, error } => (id, CallOutcome::Failed(CallError::Protocol(error))),
                Received::Discarded(DiscardReason::Invalid(Invalid { reason: Reason::NoMethod, id: Some(id) })) => {
                    others.push(format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#));
                    continue;
                }
                Received::Request(_) | Received::Notification(_) | Received::Discarded(_) => continue,
            };
            self.end(number, outcome, wakers);
        }
        let others = others.join(",");
        (!others.is_empty()).then(|| if is_array { format!("[{others}]") } else { others }.into_bytes())
    }

    /// Ends every call.
    pub(super) fn close(&mut self, reason: &CloseReason, wakers: &mut Vec<Waker>) {
        let numbers: Vec<_> = self.waiters.keys().copied().collect();
        for number in numbers {
            self.calls.forget(number);
            self.end(number, CallOutcome::Failed(CallError::Closed(reason.clone())), wakers);
        }
    }

    /// How many calls wait for their reply.
    pub(super) fn pending_calls(&self) -> usize {
        self.calls.pending().count()
    }

    /// Whether a call waits for its reply.
    pub(super) fn has_pending_calls(&self) -> bool {
        self.calls.pending().next().is_some()
    }

    /// Shows that something was sent.
    pub(super) fn show_sent(&self, text: &[u8]) {
        self.calls.show_sent(text);
    }
}

fn is_array(message: &[u8]) -> bool {
    message.trim_ascii_start().starts_with(b"[")
}
