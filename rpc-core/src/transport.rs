//! Moves whole messages: what a connection reads from and writes to.
//!
//! A transport is two halves, a [`Source`] and a [`Sink`].
//!
//! | function | over | needs |
//! |---|---|---|
//! | [`memory::pair`] | two ends within a process | |
//! | [`threads`] | anything that blocks: pipes, files, serial lines | |
//! | [`stdio`] | stdin and stdout of this process | |
//! | [`child`] | stdin and stdout of a child process | |
//! | `stream` | anything that tokio reads and writes, such as TLS | feature `tokio` |
//! | `tcp`, `unix` | sockets of tokio | feature `tokio` |
//!
//! Those over bytes take a [`Framing`], which says where messages end: [`Lines`], [`Headers`], [`AnyFraming`] for
//! a choice at run time, or one's own. An [`Address`] is such a transport in words, for settings and arguments.

mod address;
mod child;
mod child_process;
mod frame_reader;
pub mod memory;
mod remote_addr;
mod stdio;
#[cfg(feature = "tokio")]
mod stream;
#[cfg(feature = "tokio")]
mod tcp;
mod thread_sink;
mod thread_source;
mod threads;
mod traits;
#[cfg(all(feature = "tokio", unix))]
mod unix;

pub use crate::framing::{AnyFraming, Framing, Headers, Lines, Progress};
pub use address::{Address, AddressError, Endpoint};
pub use child::{ChildSink, ChildTransport, child, shell};
pub use child_process::Child;
pub use remote_addr::RemoteAddr;
pub use stdio::stdio;
#[cfg(feature = "tokio")]
pub use stream::{StreamSink, StreamSource, stream};
#[cfg(feature = "tokio")]
pub use tcp::{TcpSink, TcpSource, tcp};
pub use thread_sink::ThreadSink;
pub use thread_source::ThreadSource;
pub use threads::threads;
pub use traits::{Messages, Sink, Source};
#[cfg(all(feature = "tokio", unix))]
pub use unix::{UnixSink, UnixSource, unix};
