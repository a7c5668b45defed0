//! Running a future without an async runtime.

use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Runs a future, or a call of a client, to completion on this thread. The thread sleeps while the future is
/// pending.
///
/// For programs without an async runtime. Do not call it from async code: it would block a thread of the
/// runtime. A future that uses the clock or the sockets of a runtime still needs that runtime.
///
/// ```
/// assert_eq!(rpc_core::block_on(async { 6 * 7 }), 42);
/// ```
pub fn block_on<F: IntoFuture>(future: F) -> F::Output {
    let mut future = pin!(future.into_future());
    let parker = Arc::new(Parker { thread: thread::current(), is_woken: AtomicBool::new(false) });
    let waker = Waker::from(parker.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            // The flag keeps the wake if the future itself parks this thread, which consumes the park token.
            Poll::Pending => {
                while !parker.is_woken.swap(false, Ordering::AcqRel) {
                    thread::park();
                }
            }
        }
    }
}

thread_local! {
    /// The number of connections that this thread is polling.
    static POLLING: Cell<usize> = const { Cell::new(0) };
}

/// A guard: while it lives, this thread is polling a connection.
pub(crate) struct PollingConnection;

impl PollingConnection {
    pub(crate) fn enter() -> Self {
        POLLING.set(POLLING.get() + 1);
        PollingConnection
    }
}

impl Drop for PollingConnection {
    fn drop(&mut self) {
        POLLING.set(POLLING.get().saturating_sub(1));
    }
}

/// Runs a future to completion as `block_on` does. While this thread is polling a connection, it does not
/// block but returns `None` for a pending future, which may need that connection to make progress.
pub(crate) fn wait<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    if POLLING.get() > 0 {
        return match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        };
    }
    Some(block_on(future))
}

struct Parker {
    thread: Thread,
    is_woken: AtomicBool,
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::block_on;
    use std::future::poll_fn;
    use std::task::Poll;

    #[test]
    fn a_wake_survives_a_nested_block_on() {
        let mut is_first = true;
        block_on(poll_fn(|outer| {
            if !std::mem::take(&mut is_first) {
                return Poll::Ready(());
            }
            outer.waker().wake_by_ref();
            // Parks, and consumes the park token of this thread.
            let mut is_first = true;
            block_on(poll_fn(|inner| {
                inner.waker().wake_by_ref();
                if std::mem::take(&mut is_first) { Poll::Pending } else { Poll::Ready(()) }
            }));
            Poll::Pending
        }));
    }
}
