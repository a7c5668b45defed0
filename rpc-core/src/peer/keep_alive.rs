//! A hold on a connection.

use super::shared::Shared;
use crate::block_on::wait;
use crate::time::{ThreadTimer, Timer};
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// What handles, and calls on their way, hold of a connection.
#[derive(Clone)]
pub(super) struct ConnectionHandle {
    pub(super) shared: Arc<Shared>,
    _life: Option<Arc<KeepAlive>>,
}

impl ConnectionHandle {
    /// One that does not keep the connection alive, and so does not end it.
    pub(super) fn of(shared: Arc<Shared>) -> Self {
        ConnectionHandle { shared, _life: None }
    }

    /// The first of those that keep the connection alive: it is stopped when the last of them is gone, and waited
    /// for so long.
    pub(super) fn keeping(shared: Arc<Shared>, drop_timeout: Duration) -> Self {
        let life = Some(Arc::new(KeepAlive { shared: shared.clone(), drop_timeout }));
        ConnectionHandle { shared, _life: life }
    }
}

impl fmt::Debug for ConnectionHandle {
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
        let (mut ticket, mut late) = (None, ThreadTimer.sleep(self.drop_timeout));
        // Where this would hold up the connection itself, it is not waited for.
        wait(poll_fn(|context| {
            let has_ended = self.shared.poll_closed(&mut ticket, context.waker()).is_ready();
            if has_ended { Poll::Ready(()) } else { late.as_mut().poll(context) }
        }));
        if let Some(ticket) = ticket {
            self.shared.unregister_closed(ticket);
        }
    }
}
