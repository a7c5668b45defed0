//! The trait of observers.

use super::event::{Event, EventKind};
use crate::connection_id::ConnectionId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Observes the messages of one side, and the failures that stay hidden from its peer.
///
/// Any `Fn(&Event<'_>)` is an observer; [`WireLog`](super::WireLog) writes readable lines. It is called in
/// the middle of message processing: it must not block, and must not call the server or connection that it
/// observes. A panic is ignored.
///
/// ```
/// use rpc_core::observe::{Event, EventKind};
/// use rpc_core::Server;
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// let responses = Arc::new(AtomicUsize::new(0));
/// let counter = responses.clone();
/// let server = Server::new(()).observer(move |event: &Event<'_>| {
///     if let EventKind::Responded { .. } = event.kind {
///         counter.fetch_add(1, Relaxed);
///     }
/// });
/// server.handle_blocking(r#"{"jsonrpc":"2.0","method":"nope","id":1}"#);
/// assert_eq!(responses.load(Relaxed), 1);
/// ```
pub trait Observer: Send + Sync + 'static {
    /// Observes an event.
    fn observe(&self, event: &Event<'_>);
}

impl<O: Observer + ?Sized> Observer for Arc<O> {
    fn observe(&self, event: &Event<'_>) {
        O::observe(self, event);
    }
}

impl<F: Fn(&Event<'_>) + Send + Sync + 'static> Observer for F {
    fn observe(&self, event: &Event<'_>) {
        self(event);
    }
}

/// An observer, if there is one, and the connection of the events that it is shown.
#[derive(Clone, Copy, Default)]
pub(crate) struct ObserverRef<'a> {
    observer: Option<&'a dyn Observer>,
    connection: Option<ConnectionId>,
}

impl<'a> ObserverRef<'a> {
    #[inline]
    pub(crate) fn new(observer: Option<&'a Arc<dyn Observer>>, connection: Option<ConnectionId>) -> Self {
        ObserverRef { observer: observer.map(|observer| &**observer), connection }
    }

    #[inline]
    pub(crate) fn is_some(self) -> bool {
        self.observer.is_some()
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.observer.is_none()
    }

    /// Shows an event to the observer.
    #[inline]
    pub(crate) fn show(self, kind: EventKind<'_>) {
        if let Some(observer) = self.observer {
            show(observer, &Event { connection: self.connection, kind });
        }
    }
}

#[cold]
fn show(observer: &dyn Observer, event: &Event<'_>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| observer.observe(event))) {
        // The drop of a payload can panic, too.
        std::mem::forget(payload);
    }
}
