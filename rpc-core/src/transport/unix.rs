//! The transport over a Unix socket of tokio.

use super::acceptor::{Accepted, Acceptor};
use super::remote_addr::RemoteAddr;
use super::socket_file::{self, SocketFile};
use super::stream::{StreamSink, StreamSource, stream};
use crate::framing::Framing;
use std::io;
use std::path::Path;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};

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

/// Accepts connections of a Unix socket; requires Unix and the feature `tokio`. Dropping it removes the file of the
/// socket.
///
/// ```
/// use rpc_core::net::Listener;
/// use rpc_core::transport::{Lines, UnixAcceptor};
/// use rpc_core::Server;
///
/// # tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
/// # let path = std::env::temp_dir().join(format!("rpc-core-acceptor-{}.sock", std::process::id()));
/// let acceptor = UnixAcceptor::bind(&path, Some(0o600), Lines::new()).await?;
/// let listener = Listener::builder(Server::new(())).over(acceptor)?;
/// drop(listener);
/// assert!(!path.exists());
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct UnixAcceptor<F> {
    socket: UnixListener,
    framing: F,
    _file: SocketFile,
}

impl<F: Framing + Clone> UnixAcceptor<F> {
    /// Binds a socket at `path`, whose connections get clones of `framing`. Replaces the file of a socket at which no
    /// server listens any more.
    ///
    /// `mode` is the mode of the file, such as `0o600`, set before a peer can connect. With `None` the umask of the
    /// process applies.
    ///
    /// # Errors
    ///
    /// `AddrInUse` if a server listens at `path` or another kind of file is there, or the error of the system.
    pub async fn bind(path: &Path, mode: Option<u32>, framing: F) -> io::Result<Self> {
        let (socket, file) = socket_file::bind(path, mode).await?;
        Ok(UnixAcceptor { socket, framing, _file: file })
    }
}

impl<F: Framing + Clone> Acceptor for UnixAcceptor<F> {
    type Source = UnixSource<F>;
    type Sink = UnixSink<F>;

    async fn accept(&mut self) -> io::Result<Option<Accepted<UnixSource<F>, UnixSink<F>>>> {
        let (socket, _) = self.socket.accept().await?;
        let credentials = socket.peer_cred().ok();
        let remote_addr = RemoteAddr::Unix {
            user: credentials.map(|credentials| credentials.uid()),
            group: credentials.map(|credentials| credentials.gid()),
            process: credentials.and_then(|credentials| credentials.pid()),
        };
        Ok(Some(Accepted::new(unix(socket, self.framing.clone()), remote_addr)))
    }
}
