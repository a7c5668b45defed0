//! Time, brought by whoever uses it: nothing here reads a clock unless it is asked to wait.

mod manual_timer;
mod thread_timer;
#[cfg(feature = "tokio")]
mod tokio_timer;
mod traits;

pub use manual_timer::ManualTimer;
pub use thread_timer::ThreadTimer;
#[cfg(feature = "tokio")]
pub use tokio_timer::TokioTimer;
pub use traits::Timer;
