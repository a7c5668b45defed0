//! The timer of tokio.

use super::traits::Timer;
use std::pin::Pin;
use std::time::Duration;

/// The timer of tokio; requires the feature `tokio`.
///
/// As with `tokio::time::sleep`, its futures must be created and polled inside a runtime with the time driver
/// enabled; otherwise tokio panics. It follows tokio's paused clock in tests (`start_paused`).
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioTimer;

impl Timer for TokioTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}
