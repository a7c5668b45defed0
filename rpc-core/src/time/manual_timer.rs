//! A timer that is advanced by hand.

use super::traits::Timer;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A timer that stands still until it is advanced, for tests of timeouts that need no real time.
///
/// Clones share one clock.
///
/// ```
/// use rpc_core::{ClientError, block_on};
/// use rpc_core::client::{Call, Timeout};
/// use rpc_core::mock::Mock;
/// use rpc_core::time::ManualTimer;
/// use std::time::Duration;
///
/// let timer = ManualTimer::new();
/// let caller = Timeout::new(Mock::new().never_responds(), timer.clone());
/// let call = Call::<_, u8>::new(&caller, "slow", &()).timeout(Duration::from_secs(5)).into_future();
/// assert_eq!(timer.pending_count(), 1);
/// timer.advance(Duration::from_secs(5));
/// assert!(matches!(block_on(call), Err(ClientError::Timeout)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ManualTimer(Arc<Mutex<Clock>>);

#[derive(Debug, Default)]
struct Clock {
    now: Duration,
    next_key: u64,
    /// Ordered by end, then by creation.
    sleeps: BTreeMap<(Duration, u64), Option<Waker>>,
}

impl ManualTimer {
    /// Creates a timer without pending sleeps.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Advances the clock by `duration`, and wakes the sleeps that end by then.
    pub fn advance(&self, duration: Duration) {
        let ended = {
            let mut clock = self.clock();
            clock.now = clock.now.saturating_add(duration);
            let now = clock.now;
            let later = clock.sleeps.split_off(&(now, u64::MAX));
            std::mem::replace(&mut clock.sleeps, later)
        };
        ended.into_values().flatten().for_each(Waker::wake);
    }

    /// Returns the number of sleeps that have neither ended nor been dropped.
    #[must_use]
    pub fn pending_count(&self) -> usize {
        self.clock().sleeps.len()
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Timer for ManualTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let mut clock = self.clock();
        let key = (clock.now.saturating_add(duration), clock.next_key);
        clock.next_key += 1;
        if !duration.is_zero() {
            clock.sleeps.insert(key, None);
        }
        drop(clock);
        Box::pin(Sleep { timer: self.clone(), key })
    }
}

struct Sleep {
    timer: ManualTimer,
    key: (Duration, u64),
}

impl Future for Sleep {
    type Output = ();
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let waker = context.waker().clone();
        // Dropping a waker may run foreign code, so the previous one is dropped after the lock is released.
        let previous = self.timer.clock().sleeps.get_mut(&self.key).map(|slot| slot.replace(waker));
        if previous.is_some() { Poll::Pending } else { Poll::Ready(()) }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let waker = self.timer.clock().sleeps.remove(&self.key);
        drop(waker);
    }
}

#[cfg(test)]
mod tests {
    use super::{ManualTimer, Timer};
    use std::task::{Context, Waker};
    use std::time::Duration;

    #[test]
    fn a_sleep_ends_after_its_duration_and_not_before() {
        let timer = ManualTimer::new();
        let mut context = Context::from_waker(Waker::noop());
        let (mut short, mut long) = (timer.sleep(Duration::from_secs(1)), timer.sleep(Duration::from_secs(2)));
        assert!(timer.sleep(Duration::ZERO).as_mut().poll(&mut context).is_ready());
        timer.advance(Duration::from_millis(999));
        assert!(short.as_mut().poll(&mut context).is_pending());
        timer.advance(Duration::from_millis(1));
        assert!(short.as_mut().poll(&mut context).is_ready());
        assert!(long.as_mut().poll(&mut context).is_pending());
        drop(long);
        assert_eq!(timer.pending_count(), 0);
    }
}
