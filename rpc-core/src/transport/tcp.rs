//! The transport over a TCP socket of tokio.

use super::acceptor::{Accepted, Acceptor};
use super::remote_addr::RemoteAddr;
use super::stream::{StreamSink, StreamSource, stream};
use crate::framing::Framing;
use std::io;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// Reads messages from a TCP socket. Created by [`tcp`].
pub type TcpSource<F> = StreamSource<OwnedReadHalf, F>;

/// Writes messages to a TCP socket. Created by [`tcp`].
pub type TcpSink<F> = StreamSink<OwnedWriteHalf, F>;

/// Creates a transport over a TCP socket, connected or accepted; requires the feature `tokio`.
///
/// Sets `TCP_NODELAY`: messages that are ready together are one write already.
///
/// ```
/// use rpc_core::connection::{CloseReason, Connection};
/// use rpc_core::transport::{Lines, tcp};
/// use rpc_core::Server;
/// use tokio::net::{TcpListener, TcpStream};
///
/// # tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let client = TcpStream::connect(listener.local_addr()?).await?;
/// let (accepted, _) = listener.accept().await?;
///
/// let (_, connection) = Connection::builder(Server::new(())).over(tcp(accepted, Lines::new()));
/// drop(client);
/// assert_eq!(connection.run().await, CloseReason::ByPeer);
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn tcp<F: Framing + Clone>(socket: TcpStream, framing: F) -> (TcpSource<F>, TcpSink<F>) {
    // This fails on a closed socket; reading reports the close.
    let _ = socket.set_nodelay(true);
    let (reader, writer) = socket.into_split();
    stream(reader, writer, framing)
}

/// Accepts TCP connections; requires the feature `tokio`.
///
/// ```
/// use rpc_core::net::Listener;
/// use rpc_core::transport::{Lines, TcpAcceptor};
/// use rpc_core::Server;
///
/// # tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
/// let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// let listener = Listener::builder(Server::new(())).over(TcpAcceptor::new(socket, Lines::new()))?;
/// # drop(listener);
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct TcpAcceptor<F> {
    socket: TcpListener,
    framing: F,
}

impl<F: Framing + Clone> TcpAcceptor<F> {
    /// Creates an acceptor of a listening socket, whose connections get clones of `framing`.
    pub fn new(socket: TcpListener, framing: F) -> Self {
        TcpAcceptor { socket, framing }
    }
}

impl<F: Framing + Clone> Acceptor for TcpAcceptor<F> {
    type Source = TcpSource<F>;
    type Sink = TcpSink<F>;

    async fn accept(&mut self) -> io::Result<Option<Accepted<TcpSource<F>, TcpSink<F>>>> {
        let (socket, remote_addr) = self.socket.accept().await?;
        Ok(Some(Accepted::new(tcp(socket, self.framing.clone()), RemoteAddr::Tcp(remote_addr))))
    }
}
