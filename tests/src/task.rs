//! Futures run by hand: no runtime, no clock, nothing left to chance.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::{fmt, future::poll_fn};

/// A future that is polled when it was woken and never otherwise: a wake that gets lost shows.
pub struct Task<F> {
    future: Pin<Box<F>>,
    bell: Arc<Bell>,
}

struct Bell(AtomicBool);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl<F: Future> Task<F> {
    /// A future that was not polled yet.
    pub fn new(future: F) -> Self {
        Task { future: Box::pin(future), bell: Arc::new(Bell(AtomicBool::new(true))) }
    }

    /// Polls once, if it was woken since the last time.
    pub fn step(&mut self) -> Poll<F::Output> {
        if self.bell.0.swap(false, Ordering::SeqCst) {
            self.future.as_mut().poll(&mut Context::from_waker(&self.bell.clone().into()))
        } else {
            Poll::Pending
        }
    }

    /// Whether it was woken since it was polled.
    #[must_use]
    pub fn is_woken(&self) -> bool {
        self.bell.0.load(Ordering::SeqCst)
    }

    /// Polls until it ends or nothing wakes it any more.
    pub fn run(&mut self) -> Poll<F::Output> {
        loop {
            let poll = self.step();
            if poll.is_ready() || !self.bell.0.load(Ordering::SeqCst) {
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

/// What a future gives that waits for nothing outside itself.
///
/// # Panics
///
/// When it waits.
#[track_caller]
pub fn now<F: IntoFuture>(future: F) -> F::Output {
    match Task::new(future.into_future()).run() {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("waits for what never comes"),
    }
}

/// Something that one waits for and another lets happen, once and for all.
#[derive(Debug, Default)]
pub struct Gate(Mutex<(bool, Vec<Waker>)>);

impl Gate {
    /// Lets everybody pass.
    pub fn open(&self) {
        let waiting = {
            let mut gate = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            gate.0 = true;
            std::mem::take(&mut gate.1)
        };
        waiting.into_iter().for_each(Waker::wake);
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

/// Gives way once, and asks to be polled again.
pub async fn give_way() {
    let mut gave = false;
    poll_fn(|context| {
        if std::mem::replace(&mut gave, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
