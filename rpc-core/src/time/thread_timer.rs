//! A timer without a runtime: one thread wakes all sleeps of the process.

use super::traits::Timer;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// A timer on the system's monotonic clock, for any runtime or none.
///
/// One thread serves the whole process. It starts with the first pending sleep.
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
    sleeps: Mutex::new(Sleeps { by_end: BTreeMap::new(), last_key: 0, is_running: false, wakes_at: None }),
    earlier_end: Condvar::new(),
};

struct Clock {
    sleeps: Mutex<Sleeps>,
    /// Notified if a sleep ends before the thread would wake up.
    earlier_end: Condvar,
}

struct Sleeps {
    by_end: BTreeMap<Key, Waker>,
    last_key: u64,
    /// Set once the thread has started.
    is_running: bool,
    /// The time at which the thread wakes up; `None` if there is no sleep.
    wakes_at: Option<Instant>,
}

/// The end of a sleep, then a number in the order of creation.
type Key = (Instant, u64);

impl Clock {
    fn sleeps(&self) -> MutexGuard<'_, Sleeps> {
        self.sleeps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers `waker` to be woken at `end`. Returns the previous waker, which must be dropped without the
    /// lock.
    fn register(&'static self, end: Instant, key: &mut Option<Key>, waker: Waker) -> Option<Waker> {
        let mut sleeps = self.sleeps();
        let key = *key.get_or_insert_with(|| {
            sleeps.last_key += 1;
            (end, sleeps.last_key)
        });
        let previous = sleeps.by_end.insert(key, waker);
        if !sleeps.is_running {
            // If the thread cannot be spawned, the next sleep that is polled tries again.
            sleeps.is_running = thread::Builder::new().name("rpc-core timer".into()).spawn(|| self.run()).is_ok();
        } else if sleeps.wakes_at.is_none_or(|wakes_at| end < wakes_at) {
            // Most sleeps are dropped long before their end, so the thread is only notified if it would be
            // late.
            sleeps.wakes_at = Some(end);
            self.earlier_end.notify_one();
        }
        previous
    }

    fn run(&self) {
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
            sleeps.wakes_at = sleeps.by_end.first_key_value().map(|((end, _), _)| *end);
            sleeps = match sleeps.wakes_at.map(|end| end.duration_since(now)) {
                Some(timeout) => {
                    self.earlier_end.wait_timeout(sleeps, timeout).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.earlier_end.wait(sleeps).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// Wakes a task. A waker may run foreign code, whose panic must not end the thread.
fn wake(waker: Waker) {
    if let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| waker.wake())) {
        std::mem::forget(payload);
    }
}

struct Sleep {
    /// `None` if the end is later than an `Instant` can hold: the sleep never ends.
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
        let previous = CLOCK.register(end, &mut self.key, context.waker().clone());
        drop(previous);
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
    fn sleeps_end_after_their_durations_in_any_order_of_creation() {
        let start = Instant::now();
        let threads = [30, 1, 15].map(|ms| {
            std::thread::spawn(move || {
                block_on(ThreadTimer.sleep(Duration::from_millis(ms)));
                start.elapsed() >= Duration::from_millis(ms)
            })
        });
        assert!(threads.into_iter().all(|thread| thread.join().is_ok_and(|is_late_enough| is_late_enough)));
    }

    #[test]
    fn sleeps_in_sequence_all_end() {
        for _ in 0..20 {
            block_on(ThreadTimer.sleep(Duration::from_millis(1)));
        }
    }

    #[test]
    fn a_dropped_sleep_is_unregistered_and_an_endless_one_stays_pending() {
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
