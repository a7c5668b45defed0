//! The live connection that a call came over: who is on the other side, and which calls are given up.

use crate::peer::{BlockedHandler, BlockedHandlers, Peer, Shared};
use crate::wire::Id;
use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// What all calls of one connection share.
pub(crate) struct ConnectionScope {
    pub(crate) shared: Arc<Shared>,
    extensions: Extensions,
    running: Mutex<HashMap<Id<'static>, Running>>,
}

/// Values of a connection, one of each type.
pub(crate) type Extensions = HashMap<TypeId, Box<dyn Any + Send + Sync>>;

/// The calls under one id that have begun and not ended.
#[derive(Default)]
struct Running {
    /// How many watch it: each call, and whoever else wants to know.
    watches: usize,
    next: u64,
    is_cancelled: bool,
    /// Whom to wake when they are given up, one for each watch.
    wakers: BTreeMap<u64, Waker>,
}

impl ConnectionScope {
    pub(crate) fn new(shared: Arc<Shared>, extensions: Extensions) -> Self {
        ConnectionScope { shared, extensions, running: Mutex::default() }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Id<'static>, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives up the calls under this id. False when none runs.
    pub(crate) fn cancel(&self, id: &Id<'_>) -> bool {
        let wakers = match self.running().get_mut(&id.clone().into_owned()) {
            Some(running) => {
                running.is_cancelled = true;
                std::mem::take(&mut running.wakers)
            }
            None => return false,
        };
        wakers.into_values().for_each(Waker::wake);
        true
    }

    fn is_cancelled(&self, id: &Id<'_>) -> bool {
        self.running().get(&id.clone().into_owned()).is_some_and(|running| running.is_cancelled)
    }
}

/// One message of a connection, while it is answered.
pub(crate) struct Scope<'c> {
    pub(crate) connection: &'c ConnectionScope,
    pub(crate) blocked: Arc<BlockedHandlers>,
    /// The ids of calls that were given up before they began.
    pub(crate) given_up: Vec<Id<'static>>,
}

impl Scope<'_> {
    pub(super) fn peer(&self, handler: usize) -> Peer {
        Peer::for_handler(self.connection.shared.clone(), BlockedHandler::of(self.blocked.clone(), handler))
    }

    pub(super) fn extension<T: Any>(&self) -> Option<&T> {
        self.connection.extensions.get(&TypeId::of::<T>())?.downcast_ref()
    }

    pub(super) fn is_cancelled(&self, id: &Id<'_>) -> bool {
        self.given_up.contains(id) || self.connection.is_cancelled(id)
    }

    /// A handler has begun: its number. Not inlined, nor is its end: most calls come over no connection.
    #[inline(never)]
    fn begin(&self) -> usize {
        self.blocked.begin()
    }

    #[inline(never)]
    fn end(&self, handler: usize) {
        self.blocked.end(handler);
    }

    /// Watches whether the calls of an id are given up.
    pub(super) fn watch(&self, id: &Id<'_>) -> Watch<'_> {
        let is_given_up = self.given_up.contains(id);
        let id = id.clone().into_owned();
        let mut all = self.connection.running();
        let running = all.entry(id.clone()).or_default();
        running.watches += 1;
        running.next += 1;
        let ticket = running.next;
        drop(all);
        Watch { connection: self.connection, id, ticket, is_given_up }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

/// A handler that runs, if it does so for a live connection; it has ended when this is dropped.
pub(super) struct RunningHandler<'c>(Option<(&'c Scope<'c>, usize)>);

impl<'c> RunningHandler<'c> {
    #[inline]
    pub(super) fn of(scope: Option<&'c Scope<'c>>) -> Self {
        RunningHandler(scope.map(|scope| (scope, scope.begin())))
    }

    /// Its number among those of its message.
    #[inline]
    pub(super) fn handler(&self) -> usize {
        self.0.map_or(0, |(_, handler)| handler)
    }
}

impl Drop for RunningHandler<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some((scope, handler)) = self.0 {
            scope.end(handler);
        }
    }
}

/// Sees whether the calls of an id are given up, until it is dropped. Wakers are anybody's code: nothing is locked
/// when one is cloned, woken or dropped.
pub(super) struct Watch<'c> {
    connection: &'c ConnectionScope,
    id: Id<'static>,
    ticket: u64,
    is_given_up: bool,
}

impl Watch<'_> {
    /// Whether they are given up; if not yet, `waker` is woken when they are.
    pub(super) fn is_cancelled(&self, waker: &Waker) -> bool {
        let is_known = |running: &Running| running.wakers.get(&self.ticket).is_some_and(|known| known.will_wake(waker));
        match self.connection.running().get(&self.id) {
            Some(running) if running.is_cancelled || self.is_given_up => return true,
            Some(running) if is_known(running) => return false,
            _ => {}
        }
        let waker = waker.clone();
        let mut all = self.connection.running();
        let Some(running) = all.get_mut(&self.id) else { return self.is_given_up };
        if running.is_cancelled {
            drop(all);
            return true;
        }
        let before = running.wakers.insert(self.ticket, waker);
        drop(all);
        drop(before);
        false
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let mut all = self.connection.running();
        let mut waker = None;
        if let Some(running) = all.get_mut(&self.id) {
            waker = running.wakers.remove(&self.ticket);
            running.watches -= 1;
            if running.watches == 0 {
                all.remove(&self.id);
            }
        }
        drop(all);
        drop(waker);
    }
}
