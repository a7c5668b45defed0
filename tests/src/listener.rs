//! A client without I/O that is shown anything at all.

use rpc_core::client::{PendingCalls, Received};
use rpc_core::observe::Event;
use std::sync::Arc;

/// Calls that wait, and what they are shown.
#[derive(Debug)]
pub struct Listener {
    calls: PendingCalls,
    count: usize,
    pairs_without_id: bool,
}

impl Listener {
    /// `count` calls wait, with the ids from 1 on; whether one that is alone claims what names no call.
    #[must_use]
    pub fn new(count: usize, pairs_without_id: bool) -> Self {
        let mut calls =
            if pairs_without_id { PendingCalls::new().pair_responses_without_id() } else { PendingCalls::new() };
        for _ in 0..count {
            let _ = calls.call("ask", &[1]);
        }
        Listener { calls: calls.observer(Arc::new(|_: &Event<'_>| {})), count, pairs_without_id }
    }

    /// One with a single call, and two with several.
    #[must_use]
    pub fn all() -> [Self; 3] {
        [Self::new(1, true), Self::new(3, false), Self::new(3, true)]
    }

    /// Shows it a message twice: a reply that comes again ends nothing more. If a call ended, all are
    /// made anew.
    ///
    /// # Errors
    ///
    /// When the calls that wait afterwards are not those that waited before without those that ended.
    pub fn hear(&mut self, message: &[u8]) -> Result<(), String> {
        let all = self.waiting();
        self.hear_once(message)?;
        self.hear_once(message)?;
        if self.waiting() != all {
            *self = Listener::new(self.count, self.pairs_without_id);
        }
        Ok(())
    }

    fn hear_once(&mut self, message: &[u8]) -> Result<(), String> {
        let before = self.waiting();
        let events = self.calls.receive(message);
        if events.is_empty() {
            return Err("nothing is said of it".to_owned());
        }
        let mut waiting = before.clone();
        for event in &events {
            if let Received::Response { id, .. } | Received::Failed { id, .. } = event {
                let Some(at) = waiting.iter().position(|waits| waits == id) else {
                    return Err(format!("the call {id} was not waiting: {events:?}"));
                };
                waiting.remove(at);
            }
        }
        let after = self.waiting();
        if after != waiting {
            return Err(format!("waiting before: {before:?}, after: {after:?}, but {events:?}"));
        }
        Ok(())
    }

    fn waiting(&self) -> Vec<u64> {
        self.calls.pending().collect()
    }
}
