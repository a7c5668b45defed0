//! The transports that a connection reads messages from and writes messages to.
//!
//! A transport is a [`Source`] of messages and a [`Sink`] for messages. An `Acceptor` (feature `tokio`) gives a
//! [`Listener`](crate::net) the transports of its connections.
//!
//! | function | transport over | requires |
//! |---|---|---|
//! | [`memory::pair`] | memory, within one process | |
//! | [`threads`] | any blocking reader and writer: pipes, files, serial ports | |
//! | [`stdio`] | stdin and stdout of this process | |
//! | [`child`] | stdin and stdout of a child process | |
//! | `stream` | any reader and writer of tokio, such as a TLS stream | feature `tokio` |
//! | `tcp`, `unix` | a socket of tokio | feature `tokio`; `unix` also a Unix system |
//!
//! A transport over bytes takes a [`Framing`], which delimits messages: [`Lines`], [`Headers`], or
//! [`AnyFraming`] for a choice at run time. An [`Address`](crate::net::Address) names such a
//! transport in text.

#[cfg(feature = "tokio")]
mod acceptor;
mod child;
mod child_process;
mod frame_reader;
pub mod memory;
mod remote_addr;
#[cfg(all(feature = "tokio", unix))]
mod socket_file;
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
#[cfg(feature = "tokio")]
pub use acceptor::{Accepted, Acceptor};
pub use child::{ChildSink, ChildTransport, child, shell};
pub use child_process::Child;
pub use remote_addr::RemoteAddr;
#[cfg(feature = "tokio")]
pub use stdio::StdioAcceptor;
pub use stdio::stdio;
#[cfg(feature = "tokio")]
pub use stream::{StreamSink, StreamSource, stream};
#[cfg(feature = "tokio")]
pub use tcp::{TcpAcceptor, TcpSink, TcpSource, tcp};
pub use thread_sink::ThreadSink;
pub use thread_source::ThreadSource;
pub use threads::threads;
pub use traits::{Messages, Sink, Source};
#[cfg(all(feature = "tokio", unix))]
pub use unix::{UnixAcceptor, UnixSink, UnixSource, unix};
