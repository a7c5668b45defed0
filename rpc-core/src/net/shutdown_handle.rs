//! The way to tell a listener to stop.

use crate::connection::Peer;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

/// Stops a [`Listener`](super::Listener), where the example is, and knows its open connections. Clones stop the same
/// one. Made before the listener and [given to it](super::Settings::shutdown_handle), it can be a part of the service; given to
/// several listeners, it stops them all.
#[derive(Clone, Default)]
pub struct ShutdownHandle(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_stopped: bool,
    /// The listeners, by their numbers.
    wakers: HashMap<u64, Waker>,
    next: u64,
    open: HashMap<u64, Peer>,
}

impl ShutdownHandle {
    /// Has the listener take no more connections, and end those that are open when what runs on them is answered.
    /// Does not wait for it.
    pub fn shutdown(&self) {
        let (wakers, open) = {
            let mut state = self.state();
            state.is_stopped = true;
            (std::mem::take(&mut state.wakers), state.open.values().cloned().collect::<Vec<_>>())
        };
        for peer in open {
            peer.shutdown();
        }
        wakers.into_values().for_each(Waker::wake);
    }

    /// The other sides of all open connections, to call or tell them something.
    ///
    /// ```
    /// use rpc_core::net::ShutdownHandle;
    /// use rpc_core::rpc;
    ///
    /// /// What the clients serve.
    /// #[rpc(client)]
    /// trait Watcher {
    ///     #[rpc(notification)]
    ///     async fn changed(&self, key: &str);
    /// }
    ///
    /// /// Tells all, and waits for none: one that does not read holds up the others no more than itself.
    /// fn tell_all(listener: &ShutdownHandle, key: &str) {
    ///     for peer in listener.peers() {
    ///         let told = WatcherClient::new(peer).changed(key).into_future();
    ///         tokio::spawn(told);
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn peers(&self) -> Vec<Peer> {
        self.state().open.values().cloned().collect()
    }

    /// How many connections are open.
    #[must_use]
    pub fn connection_count(&self) -> usize {
        self.state().open.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A listener that is to be stopped, until what this gives is dropped.
    pub(super) fn register_listener(&self) -> ShutdownSignal {
        let mut state = self.state();
        state.next += 1;
        ShutdownSignal { shutdown_handle: self.clone(), number: state.next }
    }

    /// A connection is open until what this gives is dropped.
    pub(super) fn register(&self, peer: &Peer) -> OpenConnection {
        let (number, is_stopped) = {
            let mut state = self.state();
            state.next += 1;
            let number = state.next;
            state.open.insert(number, peer.to_weak());
            (number, state.is_stopped)
        };
        if is_stopped {
            peer.shutdown();
        }
        OpenConnection { shutdown_handle: self.clone(), number }
    }
}

/// One listener.
pub(super) struct ShutdownSignal {
    shutdown_handle: ShutdownHandle,
    number: u64,
}

impl ShutdownSignal {
    /// Whether to stop; if not yet, the task is woken then.
    pub(super) fn is_stopped(&self, context: &mut Context<'_>) -> bool {
        let waker = context.waker().clone();
        let (is_stopped, _former) = {
            let mut state = self.shutdown_handle.state();
            (state.is_stopped, state.wakers.insert(self.number, waker))
        };
        is_stopped
    }
}

impl Drop for ShutdownSignal {
    fn drop(&mut self) {
        let _waker = self.shutdown_handle.state().wakers.remove(&self.number);
    }
}

/// One open connection.
pub(super) struct OpenConnection {
    shutdown_handle: ShutdownHandle,
    number: u64,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let _peer = self.shutdown_handle.state().open.remove(&self.number);
    }
}

impl fmt::Debug for ShutdownHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Stopper")
            .field("is_stopped", &state.is_stopped)
            .field("connections", &state.open.len())
            .finish()
    }
}
