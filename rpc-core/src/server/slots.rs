//! Concurrent futures in reusable pinned slots, each with its own waker. Only woken slots are polled again.
//!
//! No lock is held while a waker is cloned, woken or dropped: wakers run code of the executor.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// A set of concurrent futures of one type.
pub(crate) struct Slots<F> {
    all: Vec<Slot<F>>,
    free: Vec<usize>,
    woken: Arc<Woken>,
    /// The woken slots that `poll_woken` still has to poll.
    to_poll: Vec<usize>,
}

struct Slot<F> {
    future: Pin<Box<Option<F>>>,
    /// The state behind `waker`.
    waker_state: Arc<SlotWaker>,
    waker: Waker,
}

/// The slots that were woken since the last `poll_woken`, and the waker of the task that polls them.
#[derive(Default)]
struct Woken(Mutex<(Vec<usize>, Option<Waker>)>);

struct SlotWaker {
    slot: usize,
    is_woken: AtomicBool,
    woken: Arc<Woken>,
}

impl Wake for SlotWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_woken.swap(true, Ordering::AcqRel) {
            return;
        }
        let waker = {
            let mut woken = self.woken.0.lock().unwrap_or_else(PoisonError::into_inner);
            woken.0.push(self.slot);
            woken.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<F: Future> Slots<F> {
    pub(crate) fn new() -> Self {
        Slots { all: Vec::new(), free: Vec::new(), woken: Arc::default(), to_poll: Vec::new() }
    }

    /// Returns the number of running futures.
    pub(crate) fn running(&self) -> usize {
        self.all.len() - self.free.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.len() == self.free.len()
    }

    /// Moves a future into a free slot and polls it once. Returns the slot and the result of the poll.
    pub(crate) fn start(&mut self, future: F) -> (usize, Poll<F::Output>) {
        let slot = self.free.pop().unwrap_or_else(|| {
            let slot = self.all.len();
            let waker_state = Arc::new(SlotWaker { slot, is_woken: AtomicBool::new(false), woken: self.woken.clone() });
            self.all.push(Slot { future: Box::pin(None), waker: waker_state.clone().into(), waker_state });
            slot
        });
        self.all[slot].future.set(Some(future));
        (slot, self.poll_slot(slot))
    }

    /// Polls each woken slot once, and passes the outputs to `done`. Slots woken meanwhile stay woken.
    pub(crate) fn poll_woken(&mut self, context: &mut Context<'_>, mut done: impl FnMut(usize, F::Output)) {
        let waker = context.waker().clone();
        let previous = {
            let mut woken = self.woken.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut woken.0, &mut self.to_poll);
            woken.1.replace(waker)
        };
        drop(previous);
        while let Some(slot) = self.to_poll.pop() {
            // A late wake for the previous future of the slot costs only a needless poll.
            self.all[slot].waker_state.is_woken.store(false, Ordering::Release);
            if let Poll::Ready(output) = self.poll_slot(slot) {
                done(slot, output);
            }
        }
    }

    fn poll_slot(&mut self, slot: usize) -> Poll<F::Output> {
        let Slot { future, waker, .. } = &mut self.all[slot];
        let Some(running) = future.as_mut().as_pin_mut() else {
            return Poll::Pending;
        };
        let poll = running.poll(&mut Context::from_waker(waker));
        if poll.is_ready() {
            future.set(None);
            self.free.push(slot);
        }
        poll
    }
}
