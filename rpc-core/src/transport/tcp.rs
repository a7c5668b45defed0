//! Over a TCP socket of tokio.

use super::stream::{StreamSink, StreamSource, stream};
use crate::framing::Framing;
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// Reads messages from a TCP socket. Made by [`tcp`], where the example is.
pub type TcpSource<F> = StreamSource<OwnedReadHalf, F>;

/// Writes messages to a TCP socket. Made by [`tcp`], where the example is.
pub type TcpSink<F> = StreamSink<OwnedWriteHalf, F>;

/// A transport over a TCP socket, connected or accepted; needs the feature `tokio`.
///
/// Each write goes out at once (`TCP_NODELAY`), for what is ready is one write already.
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
    // It can fail on a socket that is closed already, which reading will show.
    let _ = socket.set_nodelay(true);
    let (reader, writer) = socket.into_split();
    stream(reader, writer, framing)
}
