//! The connection that a call arrived over: its peer, extensions and cancels.

use crate::connection_id::ConnectionId;
use crate::peer::{BlockedHandler, BlockedHandlers, Peer, Shared};
use crate::wire::Id;
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// The state that all calls of one connection share.
pub(crate) struct ConnectionScope {
    pub(crate) shared: Arc<Shared>,
    running: Mutex<HashMap<Id<'static>, RunningCalls>>,
}

/// The running calls of one id.
#[derive(Default)]
struct RunningCalls {
    /// The number of watches: one for each call, and one for each future that waits for the cancel.
    watches: usize,
    last_ticket: u64,
    is_cancelled: bool,
    /// The wakers of the watches, by their tickets.
    wakers: BTreeMap<u64, Waker>,
}

impl ConnectionScope {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        ConnectionScope { shared, running: Mutex::default() }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Id<'static>, RunningCalls>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels the running calls of this id.
    pub(crate) fn cancel(&self, id: &Id<'_>) {
        let wakers = match self.running().get_mut(&id.clone().into_owned()) {
            Some(calls) => {
                calls.is_cancelled = true;
                std::mem::take(&mut calls.wakers)
            }
            None => return,
        };
        wakers.into_values().for_each(Waker::wake);
    }

    fn is_cancelled(&self, id: &Id<'_>) -> bool {
        self.running().get(&id.clone().into_owned()).is_some_and(|calls| calls.is_cancelled)
    }
}

/// The scope of one message of a connection.
pub(crate) struct Scope<'c> {
    pub(crate) connection: &'c ConnectionScope,
    pub(crate) blocked: Arc<BlockedHandlers>,
    /// The ids of calls that were cancelled before they started.
    pub(crate) cancelled: Vec<Id<'static>>,
}

impl Scope<'_> {
    pub(super) fn peer(&self, handler: usize) -> Peer {
        let handler = BlockedHandler::new(self.blocked.clone(), handler);
        Peer::for_handler(self.connection.shared.clone(), handler)
    }

    pub(crate) fn connection_id(&self) -> ConnectionId {
        self.connection.shared.id()
    }

    pub(super) fn extension<T: Any>(&self) -> Option<&T> {
        self.connection.shared.extensions().get()
    }

    pub(super) fn is_cancelled(&self, id: &Id<'_>) -> bool {
        self.cancelled.contains(id) || self.connection.is_cancelled(id)
    }

    // Not inlined, because most calls arrive without a connection.
    #[inline(never)]
    fn start_handler(&self) -> usize {
        self.blocked.start()
    }

    #[inline(never)]
    fn finish_handler(&self, handler: usize) {
        self.blocked.finish(handler);
    }

    /// Watches the calls of an id for a cancel.
    pub(super) fn watch(&self, id: &Id<'_>) -> CancelWatch<'_> {
        let was_cancelled = self.cancelled.contains(id);
        let id = id.clone().into_owned();
        let mut running = self.connection.running();
        let calls = running.entry(id.clone()).or_default();
        calls.watches += 1;
        calls.last_ticket += 1;
        let ticket = calls.last_ticket;
        drop(running);
        CancelWatch { connection: self.connection, id, ticket, was_cancelled }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

/// A running handler, registered with its connection if there is one, until it is dropped.
pub(super) struct RunningHandler<'c>(Option<(&'c Scope<'c>, usize)>);

impl<'c> RunningHandler<'c> {
    #[inline]
    pub(super) fn start(scope: Option<&'c Scope<'c>>) -> Self {
        RunningHandler(scope.map(|scope| (scope, scope.start_handler())))
    }

    /// Returns the handler's number among those of its message.
    #[inline]
    pub(super) fn number(&self) -> usize {
        self.0.map_or(0, |(_, number)| number)
    }
}

impl Drop for RunningHandler<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some((scope, number)) = self.0 {
            scope.finish_handler(number);
        }
    }
}

/// A watch over the calls of an id. No lock is held while a waker is cloned, woken or dropped.
pub(super) struct CancelWatch<'c> {
    connection: &'c ConnectionScope,
    id: Id<'static>,
    ticket: u64,
    was_cancelled: bool,
}

impl CancelWatch<'_> {
    /// Returns whether the calls are cancelled; if not, wakes `waker` when they are.
    pub(super) fn poll_cancelled(&self, waker: &Waker) -> bool {
        let is_known =
            |calls: &RunningCalls| calls.wakers.get(&self.ticket).is_some_and(|known| known.will_wake(waker));
        match self.connection.running().get(&self.id) {
            Some(calls) if calls.is_cancelled || self.was_cancelled => return true,
            Some(calls) if is_known(calls) => return false,
            _ => {}
        }
        let waker = waker.clone();
        let mut running = self.connection.running();
        let Some(calls) = running.get_mut(&self.id) else { return self.was_cancelled };
        if calls.is_cancelled {
            drop(running);
            return true;
        }
        let before = calls.wakers.insert(self.ticket, waker);
        drop(running);
        drop(before);
        false
    }
}

impl Drop for CancelWatch<'_> {
    fn drop(&mut self) {
        let mut running = self.connection.running();
        let mut waker = None;
        if let Some(calls) = running.get_mut(&self.id) {
            waker = calls.wakers.remove(&self.ticket);
            calls.watches -= 1;
            if calls.watches == 0 {
                running.remove(&self.id);
            }
        }
        drop(running);
        drop(waker);
    }
}
