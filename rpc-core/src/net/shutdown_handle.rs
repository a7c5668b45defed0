//! The handle that shuts a listener down.

use crate::connection::{ConnectionId, Peer};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

/// Shuts a [`Listener`](super::Listener) down, where the example is, and lists its open connections.
///
/// Clones shut the same listener down. A handle that is made before the listener and
/// [given to it](super::ListenerBuilder::shutdown_handle) can be a part of the service; one that is given to several
/// listeners shuts them all down.
#[derive(Clone, Default)]
pub struct ShutdownHandle(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_shut_down: bool,
    /// The wakers of the listeners, by their numbers.
    wakers: HashMap<u64, Waker>,
    next_listener: u64,
    peers: HashMap<ConnectionId, Peer>,
}

impl ShutdownHandle {
    /// Makes the listener accept no more connections, and begins an orderly [shutdown](Peer::shutdown) of the
    /// open ones. Returns at once.
    pub fn shutdown(&self) {
        let (wakers, peers) = {
            let mut state = self.state();
            state.is_shut_down = true;
            (std::mem::take(&mut state.wakers), state.peers.values().cloned().collect::<Vec<_>>())
        };
        for peer in peers {
            peer.shutdown();
        }
        wakers.into_values().for_each(Waker::wake);
    }

    /// Returns the peers of all open connections.
    ///
    /// ```
    /// use rpc_core::net::ShutdownHandle;
    /// use rpc_core::rpc;
    ///
    /// /// The notifications that clients accept.
    /// #[rpc(client)]
    /// trait Watcher {
    ///     #[rpc(notification)]
    ///     async fn changed(&self, key: &str);
    /// }
    ///
    /// /// Notifies all clients. A client that does not read delays no other.
    /// fn notify_all(listener: &ShutdownHandle, key: &str) {
    ///     for peer in listener.peers() {
    ///         tokio::spawn(WatcherClient::new(peer).changed(key).send());
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn peers(&self) -> Vec<Peer> {
        self.state().peers.values().cloned().collect()
    }

    /// Returns the number of open connections.
    #[must_use]
    pub fn connection_count(&self) -> usize {
        self.state().peers.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a listener until the signal is dropped.
    pub(super) fn register_listener(&self) -> ShutdownSignal {
        let mut state = self.state();
        state.next_listener += 1;
        ShutdownSignal { shutdown_handle: self.clone(), listener: state.next_listener }
    }

    /// Registers an open connection until the value is dropped.
    pub(super) fn register(&self, peer: &Peer) -> OpenConnection {
        let is_shut_down = {
            let mut state = self.state();
            state.peers.insert(peer.id(), peer.clone());
            state.is_shut_down
        };
        if is_shut_down {
            peer.shutdown();
        }
        OpenConnection { shutdown_handle: self.clone(), id: peer.id() }
    }
}

/// The signal for one listener.
pub(crate) struct ShutdownSignal {
    shutdown_handle: ShutdownHandle,
    listener: u64,
}

impl ShutdownSignal {
    /// Returns whether the listener is shut down. If not, the task is woken when it is.
    pub(super) fn is_shut_down(&self, context: &mut Context<'_>) -> bool {
        let waker = context.waker().clone();
        // The former waker is dropped outside the lock.
        let (is_shut_down, _former) = {
            let mut state = self.shutdown_handle.state();
            (state.is_shut_down, state.wakers.insert(self.listener, waker))
        };
        is_shut_down
    }
}

impl Drop for ShutdownSignal {
    fn drop(&mut self) {
        let _waker = self.shutdown_handle.state().wakers.remove(&self.listener);
    }
}

/// An entry of the list of open connections.
pub(super) struct OpenConnection {
    shutdown_handle: ShutdownHandle,
    id: ConnectionId,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let _peer = self.shutdown_handle.state().peers.remove(&self.id);
    }
}

impl fmt::Debug for ShutdownHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("ShutdownHandle")
            .field("is_shut_down", &state.is_shut_down)
            .field("connection_count", &state.peers.len())
            .finish()
    }
}
