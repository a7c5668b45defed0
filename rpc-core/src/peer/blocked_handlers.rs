//! Handlers that wait for calls to the peer, and so block no other call.

use super::shared::Shared;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The handlers of one message. They count as blocked while each of them waits for a call of its own.
#[derive(Debug)]
pub(crate) struct BlockedHandlers {
    shared: Arc<Shared>,
    handlers: Mutex<Handlers>,
}

#[derive(Debug, Default)]
struct Handlers {
    next: usize,
    /// The number of handlers that have started and not finished.
    running: usize,
    /// The handlers that have a handle to the peer, each with the number of its pending calls.
    callers: Vec<(usize, usize)>,
    are_blocked: bool,
}

impl Handlers {
    fn pending_calls(&mut self, handler: usize) -> Option<&mut usize> {
        self.callers.iter_mut().find(|(caller, _)| *caller == handler).map(|(_, calls)| calls)
    }
}

impl BlockedHandlers {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        BlockedHandlers { shared, handlers: Mutex::default() }
    }

    fn handlers(&self) -> MutexGuard<'_, Handlers> {
        self.handlers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether all handlers wait for calls to the peer.
    pub(crate) fn are_blocked(&self) -> bool {
        self.handlers().are_blocked
    }

    /// Registers a handler that starts, and returns its number.
    pub(crate) fn start(&self) -> usize {
        self.change(|handlers| {
            handlers.running += 1;
            handlers.next += 1;
            handlers.next
        })
    }

    /// Removes a handler that has finished. Calls that it left to others do not block it any more.
    pub(crate) fn finish(&self, handler: usize) {
        self.change(|handlers| {
            handlers.running -= 1;
            handlers.callers.retain(|(caller, _)| *caller != handler);
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Handlers) -> T) -> T {
        let mut handlers = self.handlers();
        let result = change(&mut handlers);
        let blocked = handlers.callers.iter().filter(|(_, calls)| *calls > 0).count();
        let are_blocked = blocked > 0 && blocked == handlers.running;
        let were_blocked = std::mem::replace(&mut handlers.are_blocked, are_blocked);
        if are_blocked != were_blocked {
            self.shared.count_blocked(are_blocked);
        }
        drop(handlers);
        if are_blocked && !were_blocked {
            // The loop may start messages that this one kept waiting.
            self.shared.wake();
        }
        result
    }
}

/// One handler, as its handles to the peer know it.
#[derive(Clone, Debug)]
pub(crate) struct BlockedHandler {
    handlers: Arc<BlockedHandlers>,
    handler: usize,
}

impl BlockedHandler {
    /// Returns the handler of this number, which has not finished.
    pub(crate) fn new(handlers: Arc<BlockedHandlers>, handler: usize) -> Self {
        let mut state = handlers.handlers();
        if state.pending_calls(handler).is_none() {
            state.callers.push((handler, 0));
        }
        drop(state);
        BlockedHandler { handlers, handler }
    }

    /// Notes that the handler waits for one more call.
    pub(super) fn start_call(&self) {
        self.handlers.change(|state| state.pending_calls(self.handler).into_iter().for_each(|calls| *calls += 1));
    }

    /// Notes that a call of the handler has ended.
    pub(super) fn end_call(&self) {
        self.handlers.change(|state| state.pending_calls(self.handler).into_iter().for_each(|calls| *calls -= 1));
    }
}
