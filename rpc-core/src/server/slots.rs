//! The running calls of one batch: reusable pinned slots, each with its own waker.
//!
//! A future is built in a free slot and polled at once; only slots that were woken are polled again.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Futures of one type that run side by side.
pub(crate) struct Slots<F> {
    all: Vec<Slot<F>>,
    free: Vec<usize>,
    woken: Arc<Woken>,
    turn: Vec<usize>,
}

struct Slot<F> {
    future: Pin<Box<Option<F>>>,
    slot_waker: Arc<SlotWaker>,
    waker: Waker,
}

/// The slots that were woken since the last turn, and who polls them.
#[derive(Default)]
struct Woken(Mutex<(Vec<usize>, Option<Waker>)>);

struct SlotWaker {
    slot: usize,
    rung: AtomicBool,
    woken: Arc<Woken>,
}

impl Wake for SlotWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        if self.rung.swap(true, Ordering::AcqRel) {
            return;
        }
        let poller = {
            let mut woken = self.woken.0.lock().unwrap_or_else(PoisonError::into_inner);
            woken.0.push(self.slot);
            woken.1.take()
        };
        if let Some(poller) = poller {
            poller.wake();
        }
    }
}

impl<F: Future> Slots<F> {
    pub(crate) fn new() -> Self {
        Slots { all: Vec::new(), free: Vec::new(), woken: Arc::default(), turn: Vec::new() }
    }

    /// How many run.
    pub(crate) fn running(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// Whether nothing runs.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.len() == self.free.len()
    }

    /// Puts a future into a free slot and polls it once. Says which slot, and the output if that was
    /// all it took.
    pub(crate) fn start(&mut self, future: F) -> (usize, Poll<F::Output>) {
        let slot = self.free.pop().unwrap_or_else(|| {
            let slot = self.all.len();
            let slot_waker = Arc::new(SlotWaker { slot, rung: AtomicBool::new(false), woken: self.woken.clone() });
            self.all.push(Slot { future: Box::pin(None), waker: slot_waker.clone().into(), slot_waker });
            slot
        });
        self.all[slot].future.set(Some(future));
        (slot, self.poll_slot(slot))
    }

    /// Polls the slots that were woken, each once, and shows the outputs to `done`. A slot that is
    /// woken meanwhile has its turn in the next call.
    pub(crate) fn poll_woken(&mut self, context: &mut Context<'_>, mut done: impl FnMut(usize, F::Output)) {
        let waker = context.waker().clone();
        // A waker is anybody's code: the one before is dropped when nothing is locked any more.
        let before = {
            let mut woken = self.woken.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut woken.0, &mut self.turn);
            woken.1.replace(waker)
        };
        drop(before);
        while let Some(slot) = self.turn.pop() {
            // A late wake of a former call in this slot costs one poll too many.
            self.all[slot].slot_waker.rung.store(false, Ordering::Release);
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
