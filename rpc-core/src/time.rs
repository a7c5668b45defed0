//! Timers, the clocks behind timeouts.
//!
//! A client that limits its calls ([`Timeout`](crate::client::Timeout)), a server that limits its methods
//! ([`Server::timer`](crate::Server::timer)) and a connection
//! ([`Builder::timer`](crate::connection::Builder::timer)) sleep through a [`Timer`]:
//!
//! | timer | clock |
//! |---|---|
//! | [`ThreadTimer`] | the system's; one thread per process, on any async runtime or without one |
//! | `TokioTimer` | that of tokio's runtime; needs the feature `tokio` |
//! | [`ManualTimer`] | advanced by hand, for tests |
//!
//! Other runtimes implement [`Timer`]. Calls without a timeout read no clock.

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
