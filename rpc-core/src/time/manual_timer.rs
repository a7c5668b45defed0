//! Time that is moved by hand.

use super::traits::Timer;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A timer that stands still until it is moved, for tests that wait for nothing.
///
/// ```
/// use rpc_core::{ClientError, block_on};
/// use rpc_core::client::{Call, Timeout};
/// use rpc_core::mock::Mock;
/// use rpc_core::time::ManualTimer;
/// use std::time::Duration;
///
/// let timer = ManualTimer::new();
/// let silent = Timeout::new(Mock::new().never_responds(), timer.clone());
/// let call = Call::<_, u8>::new(&silent, "wait", &()).timeout(Duration::from_secs(5)).into_future();
/// assert_eq!(timer.pending_count(), 1);
/// timer.advance(Duration::from_secs(5));
/// assert!(matches!(block_on(call), Err(ClientError::Timeout)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ManualTimer(Arc<Mutex<Clock>>);

#[derive(Debug, Default)]
struct Clock {
    now: Duration,
    next: u64,
    /// By the time they end, then by age.
    sleeps: BTreeMap<(Duration, u64), Option<Waker>>,
}

impl ManualTimer {
    /// A timer at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets `duration` pass: what ends by then ends.
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

    /// How many waits have not ended.
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
        let key = (clock.now.saturating_add(duration), clock.next);
        clock.next += 1;
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
        // A waker is anybody's code: the one before is dropped when nothing is locked any more.
        let before = self.timer.clock().sleeps.get_mut(&self.key).map(|place| place.replace(waker));
        if before.is_some() { Poll::Pending } else { Poll::Ready(()) }
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
    fn a_wait_ends_when_its_time_has_come_and_not_before() {
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
