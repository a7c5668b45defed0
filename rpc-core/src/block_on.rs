//! Waiting for a future without a runtime.

use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Runs `future`, or a call, to its end on this thread, which sleeps while there is nothing to do.
///
/// For programs without an async runtime. Do not call it inside one: it would block its thread. A
/// future that needs a runtime's clock or sockets still needs that runtime.
///
/// ```
/// assert_eq!(rpc_core::block_on(async { 6 * 7 }), 42);
/// ```
pub fn block_on<F: IntoFuture>(future: F) -> F::Output {
    let mut future = pin!(future.into_future());
    let alarm = Arc::new(Alarm { thread: thread::current(), is_rung: AtomicBool::new(false) });
    let waker = Waker::from(alarm.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            // Whoever else parks on this thread meanwhile does not take the wake away.
            Poll::Pending => {
                while !alarm.is_rung.swap(false, Ordering::AcqRel) {
                    thread::park();
                }
            }
        }
    }
}

thread_local! {
    /// How many connections this thread polls at the moment.
    static SERVING: Cell<usize> = const { Cell::new(0) };
}

/// This thread polls a connection as long as this lives.
pub(crate) struct PollingConnection;

impl PollingConnection {
    pub(crate) fn enter() -> Self {
        SERVING.set(SERVING.get() + 1);
        PollingConnection
    }
}

impl Drop for PollingConnection {
    fn drop(&mut self) {
        SERVING.set(SERVING.get().saturating_sub(1));
    }
}

/// As `block_on`, but `None` instead of a wait that keeps a connection from being polled: what is waited for may never
/// come then.
pub(crate) fn wait<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    if SERVING.get() > 0 {
        return match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        };
    }
    Some(block_on(future))
}

struct Alarm {
    thread: Thread,
    is_rung: AtomicBool,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        self.is_rung.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::block_on;
    use std::future::poll_fn;
    use std::task::Poll;

    #[test]
    fn a_wake_is_not_lost_to_one_that_waits_inside() {
        let mut is_first = true;
        block_on(poll_fn(|outer| {
            if !std::mem::take(&mut is_first) {
                return Poll::Ready(());
            }
            outer.waker().wake_by_ref();
            // Parks, and takes the token of this thread.
            let mut is_first = true;
            block_on(poll_fn(|inner| {
                inner.waker().wake_by_ref();
                if std::mem::take(&mut is_first) { Poll::Pending } else { Poll::Ready(()) }
            }));
            Poll::Pending
        }));
    }
}
