//! Time without a runtime: one thread that keeps it for the whole process.

use super::traits::Timer;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// The system's time on any runtime, or without one: one thread for the whole process, begun when it is first needed,
/// wakes whoever waits.
///
/// ```
/// use rpc_core::block_on;
/// use rpc_core::time::{ThreadTimer, Timer};
/// use std::time::{Duration, Instant};
///
/// let start = Instant::now();
/// block_on(ThreadTimer.sleep(Duration::from_millis(2)));
/// assert!(start.elapsed() >= Duration::from_millis(2));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadTimer;

impl Timer for ThreadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(Sleep { end: Instant::now().checked_add(duration), key: None })
    }
}

static CLOCK: Clock = Clock {
    sleeps: Mutex::new(Sleeps { by_end: BTreeMap::new(), next: 0, is_kept: false, looks_at: None }),
    earlier: Condvar::new(),
};

struct Clock {
    sleeps: Mutex<Sleeps>,
    /// Something ends before the thread would look.
    earlier: Condvar,
}

struct Sleeps {
    by_end: BTreeMap<Key, Waker>,
    next: u64,
    /// Whether the thread runs.
    is_kept: bool,
    /// When the thread looks next; `None` if it has nothing to look for.
    looks_at: Option<Instant>,
}

/// When it ends, then by age.
type Key = (Instant, u64);

impl Clock {
    fn sleeps(&self) -> MutexGuard<'_, Sleeps> {
        self.sleeps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has `waker` woken at the end. The waker before it is given back, to be dropped where nothing is locked.
    fn wait(&'static self, end: Instant, key: &mut Option<Key>, waker: Waker) -> Option<Waker> {
        let mut sleeps = self.sleeps();
        let key = *key.get_or_insert_with(|| {
            sleeps.next += 1;
            (end, sleeps.next)
        });
        let before = sleeps.by_end.insert(key, waker);
        if !sleeps.is_kept {
            // A thread that cannot be had now is asked for again by whoever waits next.
            sleeps.is_kept = thread::Builder::new().name("rpc-core timer".into()).spawn(|| self.keep()).is_ok();
        } else if sleeps.looks_at.is_none_or(|looks_at| end < looks_at) {
            // Most waits are given up long before their end: the thread is let alone as long as it can be.
            sleeps.looks_at = Some(end);
            self.earlier.notify_one();
        }
        before
    }

    fn keep(&self) {
        let mut sleeps = self.sleeps();
        loop {
            let now = Instant::now();
            let later = sleeps.by_end.split_off(&(now, u64::MAX));
            let ended = std::mem::replace(&mut sleeps.by_end, later);
            if !ended.is_empty() {
                drop(sleeps);
                ended.into_values().for_each(wake);
                sleeps = self.sleeps();
                continue;
            }
            sleeps.looks_at = sleeps.by_end.first_key_value().map(|((end, _), _)| *end);
            sleeps = match sleeps.looks_at.map(|end| end.duration_since(now)) {
                Some(next) => self.earlier.wait_timeout(sleeps, next).unwrap_or_else(PoisonError::into_inner).0,
                None => self.earlier.wait(sleeps).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// A waker is anybody's code, and this thread must outlive what it does.
fn wake(waker: Waker) {
    if let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| waker.wake())) {
        std::mem::forget(payload);
    }
}

struct Sleep {
    /// `None` is beyond all that a clock can tell.
    end: Option<Instant>,
    key: Option<Key>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(end) = self.end else { return Poll::Pending };
        if end <= Instant::now() {
            return Poll::Ready(());
        }
        let before = CLOCK.wait(end, &mut self.key, context.waker().clone());
        drop(before);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = CLOCK.sleeps().by_end.remove(&key);
            drop(waker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CLOCK, ThreadTimer, Timer};
    use crate::block_on::block_on;
    use std::task::{Context, Waker};
    use std::time::{Duration, Instant};

    #[test]
    fn waits_end_in_their_time_whichever_began_first() {
        let start = Instant::now();
        let waits = [30, 1, 15].map(|ms| {
            std::thread::spawn(move || {
                block_on(ThreadTimer.sleep(Duration::from_millis(ms)));
                start.elapsed() >= Duration::from_millis(ms)
            })
        });
        assert!(waits.into_iter().all(|wait| wait.join().is_ok_and(|is_late_enough| is_late_enough)));
    }

    #[test]
    fn waits_end_one_after_the_other() {
        for _ in 0..20 {
            block_on(ThreadTimer.sleep(Duration::from_millis(1)));
        }
    }

    #[test]
    fn a_wait_that_is_dropped_or_never_ends_leaves_nothing_behind() {
        let mut context = Context::from_waker(Waker::noop());
        let hour = Duration::from_secs(3_600);
        let mut long = ThreadTimer.sleep(hour);
        let before = CLOCK.sleeps().by_end.range((Instant::now() + hour / 2, 0)..).count();
        assert!(long.as_mut().poll(&mut context).is_pending());
        assert!(long.as_mut().poll(&mut context).is_pending());
        let within = CLOCK.sleeps().by_end.range((Instant::now() + hour / 2, 0)..).count();
        drop(long);
        let after = CLOCK.sleeps().by_end.range((Instant::now() + hour / 2, 0)..).count();
        assert_eq!([before, within, after], [0, 1, 0]);
        assert!(ThreadTimer.sleep(Duration::MAX).as_mut().poll(&mut context).is_pending());
        assert!(ThreadTimer.sleep(Duration::ZERO).as_mut().poll(&mut context).is_ready());
    }
}
