//! Tokio's time.

use super::traits::Timer;
use std::pin::Pin;
use std::time::Duration;

/// The timer of tokio; needs the feature `tokio`. As with tokio's own, its waits must be made and polled within a
/// runtime that has its clock enabled, or tokio panics. In tests, tokio's own `start_paused` moves it by hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioTimer;

impl Timer for TokioTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}
