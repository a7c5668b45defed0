//! Time, brought by whoever uses it: nothing here reads a clock unless it is asked to wait.

mod manual;
mod threads;
#[cfg(feature = "tokio")]
mod tokio;
mod traits;

pub use self::manual::ManualTimer;
pub use self::threads::ThreadTimer;
#[cfg(feature = "tokio")]
pub use self::tokio::TokioTimer;
pub use self::traits::Timer;
