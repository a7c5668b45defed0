//! What a timer does.

use std::pin::Pin;
use std::time::Duration;

/// Lets time pass. [`ThreadTimer`](crate::time::ThreadTimer) does on any runtime, `TokioTimer` on tokio's own
/// clock (feature `tokio`), [`ManualTimer`](crate::time::ManualTimer) for tests.
///
/// ```
/// use rpc_core::time::Timer;
/// use std::pin::Pin;
/// use std::time::Duration;
///
/// /// The clock of another runtime.
/// struct Foreign;
///
/// # async fn foreign_sleep(_: Duration) {}
/// impl Timer for Foreign {
///     fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
///         Box::pin(foreign_sleep(duration))
///     }
/// }
/// # let _ = Foreign.sleep(Duration::ZERO);
/// ```
pub trait Timer: Send + Sync + 'static {
    /// Resolves when `duration` has passed since now.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}
