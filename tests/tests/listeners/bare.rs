//! A client that writes and reads raw bytes.

use super::{AsyncReadExt, AsyncWriteExt};
use rpc_core::net::{Address, Endpoint};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;

pub(crate) enum Bare {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Bare {
    pub(crate) async fn connect(address: &Address) -> Self {
        match address.endpoint() {
            Endpoint::Tcp(tcp) => {
                Bare::Tcp(TcpStream::connect((&*tcp.host, tcp.port)).await.expect("the listener is bound"))
            }
            #[cfg(unix)]
            Endpoint::Unix(unix) => Bare::Unix(UnixStream::connect(&unix.path).await.expect("the listener is bound")),
            other => panic!("a listener cannot be bound to {other:?}"),
        }
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.try_write(bytes).await.expect("the write succeeds");
    }

    pub(crate) async fn write_if_open(&mut self, bytes: &[u8]) {
        // The listener may have closed the connection: it is full.
        let _ = self.try_write(bytes).await;
    }

    async fn try_write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Bare::Tcp(socket) => socket.write_all(bytes).await,
            #[cfg(unix)]
            Bare::Unix(socket) => socket.write_all(bytes).await,
        }
    }

    /// Reads until the listener closes or resets the connection.
    pub(crate) async fn read_to_end(&mut self) -> String {
        let mut read = vec![];
        let _ = match self {
            Bare::Tcp(socket) => socket.read_to_end(&mut read).await,
            #[cfg(unix)]
            Bare::Unix(socket) => socket.read_to_end(&mut read).await,
        };
        String::from_utf8(read).expect("JSON is UTF-8")
    }

    /// Closes a TCP connection with a reset; a Unix socket has none.
    pub(crate) fn reset(self) {
        match self {
            Bare::Tcp(socket) => socket.set_zero_linger().expect("a socket"),
            #[cfg(unix)]
            Bare::Unix(_) => {}
        }
    }
}
