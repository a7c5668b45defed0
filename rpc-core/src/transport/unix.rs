//! The transport over a Unix socket of tokio.

use super::stream::{StreamSink, StreamSource, stream};
use crate::framing::Framing;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Reads messages from a Unix socket. Created by [`unix`].
pub type UnixSource<F> = StreamSource<OwnedReadHalf, F>;

/// Writes messages to a Unix socket. Created by [`unix`].
pub type UnixSink<F> = StreamSink<OwnedWriteHalf, F>;

/// Creates a transport over a Unix socket, connected or accepted; requires Unix and the feature `tokio`.
///
/// ```
/// use rpc_core::connection::{CloseReason, Connection};
/// use rpc_core::transport::{Lines, unix};
/// use rpc_core::Server;
/// use tokio::net::UnixStream;
///
/// # tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
/// let (local, remote) = UnixStream::pair()?;
/// let (_peer, connection) = Connection::builder(Server::new(())).over(unix(local, Lines::new()));
/// drop(remote);
/// assert_eq!(connection.run().await, CloseReason::ByPeer);
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn unix<F: Framing + Clone>(socket: UnixStream, framing: F) -> (UnixSource<F>, UnixSink<F>) {
    let (reader, writer) = socket.into_split();
    stream(reader, writer, framing)
}
