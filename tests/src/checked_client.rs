//! A client without I/O that checks its pending calls after every message.

use rpc_core::client::{PendingCalls, Received};
use rpc_core::observe::Event;
use std::sync::Arc;

/// Pending calls, and how to make them anew.
#[derive(Debug)]
pub struct CheckedClient {
    calls: PendingCalls,
    count: usize,
    pairs_without_id: bool,
}

impl CheckedClient {
    /// Makes `count` calls, with ids from 1. If `pairs_without_id` is set, the only pending call takes a response
    /// without an id.
    #[must_use]
    pub fn new(count: usize, pairs_without_id: bool) -> Self {
        let mut calls =
            if pairs_without_id { PendingCalls::new().pair_responses_without_id() } else { PendingCalls::new() };
        for _ in 0..count {
            let _ = calls.call("ask", &[1]);
        }
        CheckedClient { calls: calls.observer(Arc::new(|_: &Event<'_>| {})), count, pairs_without_id }
    }

    /// Returns a client with one pending call and two clients with several.
    #[must_use]
    pub fn all() -> [Self; 3] {
        [Self::new(1, true), Self::new(3, false), Self::new(3, true)]
    }

    /// Receives a message twice; the second copy of a response must complete nothing more. If a call completed,
    /// makes all calls anew.
    ///
    /// # Errors
    ///
    /// Fails if the pending calls afterwards are not the previous ones without those that completed.
    pub fn receive(&mut self, message: &[u8]) -> Result<(), String> {
        let all = self.pending();
        self.receive_once(message)?;
        self.receive_once(message)?;
        if self.pending() != all {
            *self = CheckedClient::new(self.count, self.pairs_without_id);
        }
        Ok(())
    }

    fn receive_once(&mut self, message: &[u8]) -> Result<(), String> {
        let before = self.pending();
        let events = self.calls.receive(message);
        if events.is_empty() {
            return Err("the message caused no event".to_owned());
        }
        let mut pending = before.clone();
        for event in &events {
            if let Received::Response { id, .. } | Received::Failed { id, .. } = event {
                let Some(at) = pending.iter().position(|pending| pending == id) else {
                    return Err(format!("the call {id} was not pending: {events:?}"));
                };
                pending.remove(at);
            }
        }
        let after = self.pending();
        if after != pending {
            return Err(format!("pending before: {before:?}, after: {after:?}, events: {events:?}"));
        }
        Ok(())
    }

    fn pending(&self) -> Vec<u64> {
        self.calls.pending().collect()
    }
}
