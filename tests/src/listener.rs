//! A client without I/O that is shown anything at all.

use rpc_core::client::{Calls, Received};
use std::collections::BTreeSet;

/// Calls that wait, and what they are shown.
#[derive(Debug)]
pub struct Listener {
    calls: Calls,
    claims_null: bool,
}

/// How many calls wait, at most.
const CALLS: usize = 8;

impl Listener {
    /// Some calls wait; whether one that is alone claims what names no call.
    #[must_use]
    pub fn new(claims_null: bool) -> Self {
        let mut calls = if claims_null { Calls::new().claiming_null_ids() } else { Calls::new() };
        for _ in 0..CALLS {
            let _ = calls.call("ask", &[1]);
        }
        Listener { calls, claims_null }
    }

    /// Shows it a message.
    ///
    /// # Errors
    ///
    /// When the calls that wait afterwards are not those that waited before without those that ended.
    pub fn hear(&mut self, message: &[u8]) -> Result<(), String> {
        let before: BTreeSet<u64> = self.calls.pending().collect();
        let events = self.calls.receive(message);
        if events.is_empty() {
            return Err("nothing is said of it".to_owned());
        }
        let mut waiting = before.clone();
        for event in &events {
            if let Received::Answered { id, .. } | Received::Failed { id, .. } = event
                && !waiting.remove(id)
            {
                return Err(format!("the call {id} was not waiting: {events:?}"));
            }
        }
        let after: BTreeSet<u64> = self.calls.pending().collect();
        if after != waiting {
            return Err(format!("waiting before: {before:?}, after: {after:?}, but {events:?}"));
        }
        if after.is_empty() {
            *self = Listener::new(self.claims_null);
        }
        Ok(())
    }
}
