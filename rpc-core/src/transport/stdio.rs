//! The transport over stdin and stdout of this process.

#[cfg(feature = "tokio")]
use super::acceptor::{Accepted, Acceptor};
#[cfg(feature = "tokio")]
use super::remote_addr::RemoteAddr;
use super::thread_sink::ThreadSink;
use super::thread_source::ThreadSource;
use super::threads::threads;
use crate::framing::Framing;
use std::io;

/// Creates a transport over stdin and stdout of this process, with one thread for each, as [`threads`] does.
///
/// **Stdout carries the messages.** A handler that uses `println!` writes a line that the peer cannot parse.
/// Log to stderr, with `eprintln!`, `dbg!` or a logger that writes there.
///
/// The process can exit while stdin is open and idle. Stdout stays open, and the connection with it for the
/// peer, until the process exits. Create this transport once per process: two would split the input.
///
/// ```no_run
/// use rpc_core::connection::Connection;
/// use rpc_core::transport::{Lines, stdio};
/// use rpc_core::{Server, block_on, rpc};
///
/// #[rpc]
/// trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
/// struct MyCalc;
/// impl Calc for MyCalc {
///     async fn add(&self, a: i64, b: i64) -> i64 {
///         eprintln!("adding {a} and {b}"); // never `println!`
///         a + b
///     }
/// }
///
/// let (_peer, connection) = Connection::builder(Server::new(CalcService::new(MyCalc))).over(stdio(Lines::new()));
/// let reason = block_on(connection.run());
/// eprintln!("{reason}");
/// ```
pub fn stdio<F: Framing + Clone>(framing: F) -> (ThreadSource<F>, ThreadSink<F>) {
    // Not `stdout().lock()`: the lock is held for one write at a time.
    threads(io::stdin(), io::stdout(), framing)
}

/// Accepts one connection, over stdin and stdout of this process; requires the feature `tokio`.
///
/// ```
/// use rpc_core::net::Listener;
/// use rpc_core::transport::{Headers, StdioAcceptor};
/// use rpc_core::Server;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let listener = Listener::builder(Server::new(())).over(StdioAcceptor::new(Headers::new()))?;
/// # drop(listener);
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[cfg(feature = "tokio")]
#[derive(Debug)]
pub struct StdioAcceptor<F>(Option<F>);

#[cfg(feature = "tokio")]
impl<F: Framing + Clone> StdioAcceptor<F> {
    /// Creates an acceptor whose connection gets `framing`.
    pub fn new(framing: F) -> Self {
        StdioAcceptor(Some(framing))
    }
}

#[cfg(feature = "tokio")]
impl<F: Framing + Clone> Acceptor for StdioAcceptor<F> {
    type Source = ThreadSource<F>;
    type Sink = ThreadSink<F>;

    async fn accept(&mut self) -> io::Result<Option<Accepted<ThreadSource<F>, ThreadSink<F>>>> {
        Ok(self.0.take().map(|framing| Accepted::new(stdio(framing), RemoteAddr::Stdio)))
    }
}
