//! Futures polled by hand: no runtime, no clock, deterministic.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::{fmt, future::poll_fn};

/// A future that is polled only after it was woken, so that a lost wake-up is noticed.
pub struct Task<F> {
    future: Pin<Box<F>>,
    is_woken: Arc<WakeFlag>,
}

struct WakeFlag(AtomicBool);

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl<F: Future> Task<F> {
    /// Wraps a future, which is polled by the first `step`.
    pub fn new(future: F) -> Self {
        Task { future: Box::pin(future), is_woken: Arc::new(WakeFlag(AtomicBool::new(true))) }
    }

    /// Polls the future once if it was woken since the last poll.
    pub fn step(&mut self) -> Poll<F::Output> {
        if self.is_woken.0.swap(false, Ordering::SeqCst) {
            self.future.as_mut().poll(&mut Context::from_waker(&self.is_woken.clone().into()))
        } else {
            Poll::Pending
        }
    }

    /// Returns whether the future was woken since the last poll.
    #[must_use]
    pub fn is_woken(&self) -> bool {
        self.is_woken.0.load(Ordering::SeqCst)
    }

    /// Polls the future until it is ready or is not woken any more.
    pub fn run(&mut self) -> Poll<F::Output> {
        loop {
            let poll = self.step();
            if poll.is_ready() || !self.is_woken() {
                return poll;
            }
        }
    }
}

impl<F> fmt::Debug for Task<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").finish_non_exhaustive()
    }
}

/// Returns the output of a future that waits for nothing outside itself.
///
/// # Panics
///
/// Panics if the future is pending and not woken.
#[track_caller]
pub fn now<F: IntoFuture>(future: F) -> F::Output {
    match Task::new(future.into_future()).run() {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future is pending and not woken"),
    }
}

/// A gate that futures wait at until it is opened. It never closes again.
#[derive(Debug, Default)]
pub struct Gate(Mutex<(bool, Vec<Waker>)>);

impl Gate {
    /// Opens the gate and wakes the waiting futures.
    pub fn open(&self) {
        let wakers = {
            let mut gate = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            gate.0 = true;
            std::mem::take(&mut gate.1)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Waits until the gate is open.
    pub async fn passed(&self) {
        poll_fn(|context| {
            let mut gate = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if gate.0 {
                return Poll::Ready(());
            }
            gate.1.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

/// Is pending once, and wakes itself.
pub async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
