//! Over a Unix socket of tokio.

use super::stream::{StreamSink, StreamSource, stream};
use crate::framing::Framing;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Reads messages from a Unix socket. Made by [`unix`], where the example is.
pub type UnixSource<F> = StreamSource<OwnedReadHalf, F>;

/// Writes messages to a Unix socket. Made by [`unix`], where the example is.
pub type UnixSink<F> = StreamSink<OwnedWriteHalf, F>;

/// A transport over a Unix socket, connected or accepted; needs the feature `tokio` and a Unix system.
///
/// ```
/// use rpc_core::connection::{CloseReason, Connection};
/// use rpc_core::transport::{Lines, unix};
/// use rpc_core::Server;
/// use tokio::net::UnixStream;
///
/// # tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
/// let (here, there) = UnixStream::pair()?;
/// let (_peer, connection) = Connection::builder(Server::new(())).over(unix(here, Lines::new()));
/// drop(there);
/// assert_eq!(connection.run().await, CloseReason::ByPeer);
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn unix<F: Framing + Clone>(socket: UnixStream, framing: F) -> (UnixSource<F>, UnixSink<F>) {
    let (reader, writer) = socket.into_split();
    stream(reader, writer, framing)
}
