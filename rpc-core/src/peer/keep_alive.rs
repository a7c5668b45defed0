//! References to a connection, and the shutdown of a client's connection with its last handle.

use super::shared::Shared;
use crate::block_on::wait;
use crate::time::{ThreadTimer, Timer};
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// A reference to a connection, held by handles and by pending calls.
#[derive(Clone)]
pub(super) struct ConnectionRef {
    pub(super) shared: Arc<Shared>,
    _keep_alive: Option<Arc<KeepAlive>>,
}

impl ConnectionRef {
    /// Returns a reference that does not keep the connection alive, and so does not end it.
    pub(super) fn weak(shared: Arc<Shared>) -> Self {
        ConnectionRef { shared, _keep_alive: None }
    }

    /// Returns a reference that keeps the connection alive, as its clones do. Dropping the last of them shuts the
    /// connection down, and blocks until it has ended, for at most `drop_timeout`.
    pub(super) fn strong(shared: Arc<Shared>, drop_timeout: Duration) -> Self {
        let keep_alive = Some(Arc::new(KeepAlive { shared: shared.clone(), drop_timeout }));
        ConnectionRef { shared, _keep_alive: keep_alive }
    }
}

impl fmt::Debug for ConnectionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shared.fmt(f)
    }
}

struct KeepAlive {
    shared: Arc<Shared>,
    drop_timeout: Duration,
}

impl Drop for KeepAlive {
    fn drop(&mut self) {
        self.shared.shutdown();
        if self.drop_timeout.is_zero() {
            return;
        }
        let (mut ticket, mut timeout) = (None, ThreadTimer.sleep(self.drop_timeout));
        // `wait` does not block a thread that polls a connection, which could be this one.
        wait(poll_fn(|context| {
            let has_ended = self.shared.poll_closed(&mut ticket, context.waker()).is_ready();
            if has_ended { Poll::Ready(()) } else { timeout.as_mut().poll(context) }
        }));
        if let Some(ticket) = ticket {
            self.shared.unregister_closed(ticket);
        }
    }
}
