//! The transport over a TCP socket of tokio.

use super::stream::{StreamSink, StreamSource, stream};
use crate::framing::Framing;
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

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
