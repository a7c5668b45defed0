//! The interface of a timer.

use std::pin::Pin;
use std::time::Duration;

/// A clock that makes futures sleep.
///
/// Implement it to use the clock of another runtime:
///
/// ```
/// use rpc_core::time::Timer;
/// use std::pin::Pin;
/// use std::time::Duration;
///
/// # mod other_runtime { pub async fn sleep(_: std::time::Duration) {} }
/// struct OtherTimer;
///
/// impl Timer for OtherTimer {
///     fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
///         Box::pin(other_runtime::sleep(duration))
///     }
/// }
/// # let _ = OtherTimer.sleep(Duration::ZERO);
/// ```
pub trait Timer: Send + Sync + 'static {
    /// Returns a future that resolves when `duration` has passed since this call.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}
