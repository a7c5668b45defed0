//! Where connections come in.

#[cfg(unix)]
use super::socket_file::{self, SocketFile};
use crate::framing::Framing;
use crate::transport::RemoteAddr;
use crate::transport::{Address, Endpoint};
use crate::wire::{ErrorObject, Id, write_error};
use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::task::{Context, Poll, ready};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

/// What a listener stands at.
pub(super) enum Acceptor {
    /// There is one connection; false when it has been taken.
    Stdio(bool),
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener, #[allow(dead_code, reason = "it is there to be dropped")] SocketFile),
}

/// A connection that came.
pub(super) enum Accepted {
    Stdio,
    Tcp(TcpStream, SocketAddr),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Acceptor {
    /// Opens the door of an address; the address says where it is then.
    pub(super) async fn open(address: &mut Address, mode: Option<u32>) -> io::Result<Self> {
        match address.endpoint().clone() {
            Endpoint::Stdio => Ok(Acceptor::Stdio(true)),
            Endpoint::Tcp { host, port } => {
                let listener = TcpListener::bind((&*host, port)).await?;
                // A free port was asked for.
                let port = listener.local_addr()?.port();
                address.set_endpoint(Endpoint::Tcp { host, port });
                Ok(Acceptor::Tcp(listener))
            }
            #[cfg(unix)]
            Endpoint::Unix(path) => {
                let (listener, file) = socket_file::bind(&path, mode).await?;
                Ok(Acceptor::Unix(listener, file))
            }
            place => {
                let _ = mode;
                drop(place);
                Err(io::Error::new(ErrorKind::InvalidInput, "nobody can listen there"))
            }
        }
    }

    /// The next connection; `None` when there will be none.
    pub(super) fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Accepted>>> {
        Poll::Ready(match self {
            Acceptor::Stdio(is_there) => Ok(std::mem::take(is_there).then_some(Accepted::Stdio)),
            Acceptor::Tcp(listener) => {
                ready!(listener.poll_accept(context)).map(|(stream, from)| Some(Accepted::Tcp(stream, from)))
            }
            #[cfg(unix)]
            Acceptor::Unix(listener, _) => {
                ready!(listener.poll_accept(context)).map(|(stream, _)| Some(Accepted::Unix(stream)))
            }
        })
    }
}

impl Accepted {
    pub(super) fn origin(&self) -> RemoteAddr {
        match self {
            Accepted::Stdio => RemoteAddr::Stdio,
            Accepted::Tcp(_, from) => RemoteAddr::Tcp(*from),
            #[cfg(unix)]
            Accepted::Unix(stream) => {
                let who = stream.peer_cred().ok();
                let (user, group) = (who.map(|who| who.uid()), who.map(|who| who.gid()));
                RemoteAddr::Unix { user, group, process: who.and_then(|who| who.pid()) }
            }
        }
    }

    /// Turns it away, with a reason if that can be told without waiting.
    pub(super) fn refuse(self, framing: &impl Framing) {
        let (mut response, mut framed) = (Vec::new(), Vec::new());
        let error = ErrorObject::new(ErrorObject::SERVER_ERROR, "Too many connections");
        write_error(&mut response, Id::NULL.as_token(), &error);
        framing.encode(&response, &mut framed);
        // What fails now is nobody's concern any more.
        let _ = match self {
            Accepted::Stdio => Ok(()),
            Accepted::Tcp(stream, _) => stream.into_std().and_then(|mut stream| stream.write_all(&framed)),
            #[cfg(unix)]
            Accepted::Unix(stream) => stream.into_std().and_then(|mut stream| stream.write_all(&framed)),
        };
    }
}
