//! The listening side of a transport.

use super::remote_addr::RemoteAddr;
use super::traits::{Sink, Source};
use crate::extensions::Extensions;
use std::any::Any;
use std::io;

/// Accepts the connections of a listener: the third trait of a transport beside [`Source`] and [`Sink`]. Requires the
/// feature `tokio`, as the [`Listener`](crate::net::Listener) does that
/// [`ListenerBuilder::over`](crate::net::ListenerBuilder::over) makes of it.
///
/// ```
/// use rpc_core::connection::Connection;
/// use rpc_core::net::Listener;
/// use rpc_core::transport::memory::{self, MemorySink, MemorySource, MemoryTransport};
/// use rpc_core::transport::{Accepted, Acceptor, RemoteAddr};
/// use rpc_core::{Server, rpc};
/// use std::io;
///
/// /// Accepts transports that exist already.
/// struct Prepared(Vec<MemoryTransport>);
///
/// impl Acceptor for Prepared {
///     type Source = MemorySource;
///     type Sink = MemorySink;
///     async fn accept(&mut self) -> io::Result<Option<Accepted<MemorySource, MemorySink>>> {
///         let transport = self.0.pop();
///         Ok(transport.map(|transport| Accepted::new(transport, RemoteAddr::Other("memory".to_owned()))))
///     }
/// }
///
/// #[rpc]
/// trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
/// # struct MyCalc;
/// # impl Calc for MyCalc { async fn add(&self, a: i64, b: i64) -> i64 { a + b } }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (here, there) = memory::pair(1024);
/// let listener = Listener::builder(Server::new(CalcService::new(MyCalc))).over(Prepared(vec![there]))?;
/// tokio::spawn(listener.run());
///
/// let (peer, connection) = Connection::client().over(here);
/// tokio::spawn(connection.run());
/// assert_eq!(CalcClient::new(peer).add(1, 2).await?, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Acceptor: Send + 'static {
    /// The half of an accepted transport that messages are read from.
    type Source: Source;
    /// The half of an accepted transport that messages are written to.
    type Sink: Sink;

    /// Accepts the next connection. Returns `None` when there are no more: the listener then waits for the open ones
    /// and ends.
    ///
    /// Must be cancellation safe: no connection is lost when the future is dropped and `accept` is called again. A
    /// handshake belongs in the first `receive` or `send` of the transport, so that a slow peer delays no others.
    ///
    /// # Errors
    ///
    /// Fails if no connection can be accepted now. The listener calls it again: at once after an error about a single
    /// connection, such as `ConnectionAborted`, and after 100 ms otherwise.
    fn accept(&mut self) -> impl Future<Output = io::Result<Option<Accepted<Self::Source, Self::Sink>>>> + Send;
}

/// An accepted connection, returned by [`Acceptor::accept`].
#[derive(Debug)]
pub struct Accepted<R, W> {
    pub(crate) source: R,
    pub(crate) sink: W,
    pub(crate) extensions: Extensions,
}

impl<R: Source, W: Sink> Accepted<R, W> {
    /// Creates a connection over a transport, with the address of the peer as an extension.
    pub fn new((source, sink): (R, W), remote_addr: RemoteAddr) -> Self {
        Accepted { source, sink, extensions: Extensions::default() }.extension(remote_addr)
    }

    /// Attaches a value to the connection, one of each type, such as the peer's certificate:
    /// [`Peer::extension`](crate::connection::Peer::extension).
    #[must_use]
    pub fn extension<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }
}
