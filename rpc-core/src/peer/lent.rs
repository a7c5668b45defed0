//! Which handlers wait for the other side, and so hold up nobody.

use super::shared::Shared;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The handlers of one message. The message holds up nobody while each of them waits for a call of its own.
#[derive(Debug)]
pub(crate) struct Lent {
    shared: Arc<Shared>,
    handlers: Mutex<Handlers>,
}

#[derive(Debug, Default)]
struct Handlers {
    next: usize,
    /// How many have begun and not ended.
    running: usize,
    /// Those of them that have a handle to the other side, each with how many of its calls are open.
    lenders: Vec<(usize, usize)>,
    is_waiting: bool,
}

impl Handlers {
    fn open(&mut self, handler: usize) -> Option<&mut usize> {
        self.lenders.iter_mut().find(|(lender, _)| *lender == handler).map(|(_, open)| open)
    }
}

impl Lent {
    pub(crate) fn of(shared: Arc<Shared>) -> Self {
        Lent { shared, handlers: Mutex::default() }
    }

    fn handlers(&self) -> MutexGuard<'_, Handlers> {
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
            handlers.lenders.retain(|(lender, _)| *lender != handler);
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Handlers) -> T) -> T {
        let mut handlers = self.handlers();
        let result = change(&mut handlers);
        let waiting = handlers.lenders.iter().filter(|(_, open)| *open > 0).count();
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
pub(crate) struct Lender {
    lent: Arc<Lent>,
    handler: usize,
}

impl Lender {
    /// For a handler that has not ended.
    pub(crate) fn of(lent: Arc<Lent>, handler: usize) -> Self {
        let mut handlers = lent.handlers();
        if handlers.open(handler).is_none() {
            handlers.lenders.push((handler, 0));
        }
        drop(handlers);
        Lender { lent, handler }
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
