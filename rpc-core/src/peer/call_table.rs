//! The calls of a connection whose outcome has not been taken. An id leaves this table once, with its outcome.

use crate::client::{PendingCalls, Received};
use crate::error::{ClientError, CloseReason, DiscardReason};
use crate::wire::{ErrorObject, Id, Invalid, Reason, write_error, write_result};
use std::collections::BTreeMap;
use std::task::Waker;

/// The key of a call: its number in the table, and its id if the program chose one.
#[derive(Clone, Debug)]
pub(super) struct CallKey {
    number: u64,
    explicit_id: Option<Id<'static>>,
}

impl CallKey {
    /// Returns the id that the call is sent with.
    pub(super) fn id(&self) -> Id<'static> {
        self.explicit_id.clone().unwrap_or_else(|| Id::from(self.number))
    }

    /// Returns whether the program chose the id.
    pub(super) fn has_explicit_id(&self) -> bool {
        self.explicit_id.is_some()
    }
}

/// The outcome of a call.
#[derive(Debug)]
pub(super) enum CallOutcome {
    /// The text of the response.
    Response(String),
    /// The call failed without a response.
    Failed(ClientError),
    /// The peer rejected the batch of the call as a whole.
    BatchRejected(ErrorObject),
}

/// A call whose outcome has not been taken.
#[derive(Debug, Default)]
struct PendingCall {
    explicit_id: Option<Id<'static>>,
    waker: Option<Waker>,
    outcome: Option<CallOutcome>,
}

/// The calls of a connection whose outcome has not been taken.
#[derive(Debug)]
pub(super) struct CallTable {
    pending: PendingCalls,
    calls: BTreeMap<u64, PendingCall>,
}

impl CallTable {
    pub(super) fn new(pending: PendingCalls) -> Self {
        CallTable { pending, calls: BTreeMap::new() }
    }

    /// Adds a call, alone or in the batch of this number. Returns `None` if its explicit id is in use.
    pub(super) fn insert(&mut self, explicit_id: Option<&Id<'static>>, batch: Option<u64>) -> Option<CallKey> {
        if explicit_id.and_then(Id::as_u64).is_some_and(|number| self.calls.contains_key(&number)) {
            return None;
        }
        let number = loop {
            let number = match explicit_id {
                Some(id) => self.pending.insert_with_id(id, batch)?,
                None => self.pending.insert(batch),
            };
            // A call keeps its number until its outcome is taken.
            if !self.calls.contains_key(&number) {
                break number;
            }
            self.pending.forget(number);
        };
        self.calls.insert(number, PendingCall { explicit_id: explicit_id.cloned(), ..PendingCall::default() });
        Some(CallKey { number, explicit_id: explicit_id.cloned() })
    }

    /// Returns a number for a batch.
    pub(super) fn next_batch(&mut self) -> u64 {
        self.pending.next_batch()
    }

    /// Takes the outcome of a call. If the call is pending, keeps `waker` to wake it later. Also returns a waker
    /// that is no longer used.
    pub(super) fn poll(&mut self, key: &CallKey, waker: Waker) -> (Option<CallOutcome>, Option<Waker>) {
        match self.calls.get_mut(&key.number) {
            Some(call) if call.outcome.is_none() => (None, call.waker.replace(waker)),
            _ => (self.calls.remove(&key.number).and_then(|call| call.outcome), Some(waker)),
        }
    }

    /// Removes a call. Returns whether it was pending, and its waker.
    pub(super) fn remove(&mut self, key: &CallKey) -> (bool, Option<Waker>) {
        let waker = self.calls.remove(&key.number).and_then(|call| call.waker);
        (self.pending.forget(key.number), waker)
    }

    fn end(&mut self, number: u64, outcome: CallOutcome, wakers: &mut Vec<Waker>) {
        if let Some(call) = self.calls.get_mut(&number).filter(|call| call.outcome.is_none()) {
            call.outcome = Some(outcome);
            wakers.extend(call.waker.take());
        }
    }

    /// Completes the call of this number with its response. Returns false if no such call is pending.
    pub(super) fn complete(&mut self, number: u64, text: &str, wakers: &mut Vec<Waker>) -> bool {
        let was_pending = self.pending.complete_number(number);
        if was_pending {
            self.end(number, CallOutcome::Response(text.to_owned()), wakers);
        }
        was_pending
    }

    /// Receives a response, or an array of responses. Returns the members that are not responses: they have an id
    /// that no pending call has, and no member of a response, so the service responds to them.
    pub(super) fn receive(&mut self, message: &[u8], wakers: &mut Vec<Waker>) -> Option<Vec<u8>> {
        let received = self.pending.receive(message);
        let is_array = is_array(message);
        let is_of_batch = received.len() > 1 && !is_array;
        let mut others = Vec::new();
        for received in received {
            let (number, outcome) = match received {
                Received::Response { id, outcome: Err(object) } if is_of_batch => {
                    (id, CallOutcome::BatchRejected(object))
                }
                Received::Response { id, outcome } => (id, CallOutcome::Response(self.encode(id, outcome))),
                Received::Failed { id, error } => (id, CallOutcome::Failed(ClientError::Protocol(error))),
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

    /// Returns the text of a response under the id that the call of this number was sent with.
    fn encode(&self, number: u64, outcome: Result<&serde_json::value::RawValue, ErrorObject>) -> String {
        let mut text = Vec::new();
        let explicit_id = self.calls.get(&number).and_then(|call| call.explicit_id.clone());
        let id = explicit_id.unwrap_or_else(|| Id::from(number));
        match outcome {
            // Writing raw JSON cannot fail.
            Ok(result) => drop(write_result(&mut text, id.as_token(), result)),
            Err(object) => write_error(&mut text, id.as_token(), &object),
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Ends all calls.
    pub(super) fn close(&mut self, reason: &CloseReason, wakers: &mut Vec<Waker>) {
        let numbers: Vec<_> = self.calls.keys().copied().collect();
        for number in numbers {
            self.pending.forget(number);
            self.end(number, CallOutcome::Failed(ClientError::Closed(reason.clone())), wakers);
        }
    }

    /// Returns the number of calls without a response.
    pub(super) fn pending(&self) -> usize {
        self.pending.pending().count()
    }

    /// Returns whether a call has no response yet.
    pub(super) fn has_pending(&self) -> bool {
        self.pending.pending().next().is_some()
    }

    /// Shows a sent message to the observer.
    pub(super) fn show_sent(&self, text: &[u8]) {
        self.pending.show_sent(text);
    }
}

fn is_array(message: &[u8]) -> bool {
    message.trim_ascii_start().starts_with(b"[")
}
