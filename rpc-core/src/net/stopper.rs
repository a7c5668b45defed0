//! The way to tell a listener to stop.

use crate::connection::Peer;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

/// Stops a [`Listener`](super::Listener), where the example is. Clones stop the same one.
#[derive(Clone, Default)]
pub struct Stopper(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_stopped: bool,
    waker: Option<Waker>,
    next: u64,
    open: HashMap<u64, Peer>,
}

impl Stopper {
    /// Has the listener take no more connections, and end those that are open when what runs on them is answered.
    /// Does not wait for it.
    pub fn stop(&self) {
        let (waker, open) = {
            let mut state = self.state();
            state.is_stopped = true;
            (state.waker.take(), state.open.values().cloned().collect::<Vec<_>>())
        };
        for peer in open {
            peer.stop();
        }
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// How many connections are open.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.state().open.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether to stop; if not yet, the task is woken then.
    pub(super) fn is_stopped(&self, context: &mut Context<'_>) -> bool {
        let waker = context.waker().clone();
        let (is_stopped, _former) = {
            let mut state = self.state();
            (state.is_stopped, state.waker.replace(waker))
        };
        is_stopped
    }

    /// A connection is open until what this gives is dropped.
    pub(super) fn enter(&self, peer: &Peer) -> Open {
        let (number, is_stopped) = {
            let mut state = self.state();
            state.next += 1;
            let number = state.next;
            state.open.insert(number, peer.clone());
            (number, state.is_stopped)
        };
        if is_stopped {
            peer.stop();
        }
        Open { stopper: self.clone(), number }
    }
}

/// One open connection.
pub(super) struct Open {
    stopper: Stopper,
    number: u64,
}

impl Drop for Open {
    fn drop(&mut self) {
        let _peer = self.stopper.state().open.remove(&self.number);
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Stopper")
            .field("is_stopped", &state.is_stopped)
            .field("connections", &state.open.len())
            .finish()
    }
}
