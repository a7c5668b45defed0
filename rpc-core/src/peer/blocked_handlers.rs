//! Which handlers wait for the other side, and so hold up nobody.

use super::shared::Shared;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The handlers of one message. The message holds up nobody while each of them waits for a call of its own.
#[derive(Debug)]
pub(crate) struct BlockedHandlers {
    shared: Arc<Shared>,
    handlers: Mutex<HandlerCounts>,
}

#[derive(Debug, Default)]
struct HandlerCounts {
    next: usize,
    /// How many have begun and not ended.
    running: usize,
    /// Those of them that have a handle to the other side, each with how many of its calls are open.
    waiting: Vec<(usize, usize)>,
    is_waiting: bool,
}

impl HandlerCounts {
    fn open(&mut self, handler: usize) -> Option<&mut usize> {
        self.waiting.iter_mut().find(|(blocked, _)| *blocked == handler).map(|(_, open)| open)
    }
}

impl BlockedHandlers {
    pub(crate) fn of(shared: Arc<Shared>) -> Self {
        BlockedHandlers { shared, handlers: Mutex::default() }
    }

    fn handlers(&self) -> MutexGuard<'_, HandlerCounts> {
        self.handlers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all handlers wait.
    pub(crate) fn is_waiting(&self) -> bool {
        self.handlers().is_waiting
    }

    /// A handler has begun: its number.
    pub(crate) fn begin(&self) -> usize {
        self.change(|handlers| {
            handlers.running += 1;
            handlers.next += 1;
            handlers.next
        })
    }

    /// A handler has ended. What its handles are used for from now on is its own affair.
    pub(crate) fn end(&self, handler: usize) {
        self.change(|handlers| {
            handlers.running -= 1;
            handlers.waiting.retain(|(blocked, _)| *blocked != handler);
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut HandlerCounts) -> T) -> T {
        let mut handlers = self.handlers();
        let result = change(&mut handlers);
        let waiting = handlers.waiting.iter().filter(|(_, open)| *open > 0).count();
        let is_waiting = waiting > 0 && waiting == handlers.running;
        let was_waiting = std::mem::replace(&mut handlers.is_waiting, is_waiting);
        if is_waiting != was_waiting {
            self.shared.lend(is_waiting);
        }
        drop(handlers);
        if is_waiting && !was_waiting {
            // The loop may start what was held up.
            self.shared.wake();
        }
        result
    }
}

/// One handler, as its handles to the other side know it.
#[derive(Clone, Debug)]
pub(crate) struct BlockedHandler {
    lent: Arc<BlockedHandlers>,
    handler: usize,
}

impl BlockedHandler {
    /// For a handler that has not ended.
    pub(crate) fn of(lent: Arc<BlockedHandlers>, handler: usize) -> Self {
        let mut handlers = lent.handlers();
        if handlers.open(handler).is_none() {
            handlers.waiting.push((handler, 0));
        }
        drop(handlers);
        BlockedHandler { lent, handler }
    }

    /// A call of the handler is open.
    pub(super) fn begin(&self) {
        self.lent.change(|handlers| handlers.open(self.handler).into_iter().for_each(|open| *open += 1));
    }

    /// It is no more.
    pub(super) fn end(&self) {
        self.lent.change(|handlers| handlers.open(self.handler).into_iter().for_each(|open| *open -= 1));
    }
}
