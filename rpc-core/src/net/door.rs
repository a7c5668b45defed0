//! Where connections come in.

use super::origin::Origin;
#[cfg(unix)]
use super::socket_file::{self, SocketFile};
use crate::framing::Framing;
use crate::transport::{Address, Place};
use crate::wire::{ErrorObject, Id, write_error};
use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::task::{Context, Poll, ready};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

/// What a listener stands at.
pub(super) enum Door {
    /// There is one connection; false when it has been taken.
    Stdio(bool),
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener, #[allow(dead_code, reason = "it is there to be dropped")] SocketFile),
}

/// A connection that came.
pub(super) enum Come {
    Stdio,
    Tcp(TcpStream, SocketAddr),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Door {
    /// Opens the door of an address; the address says where it is then.
    pub(super) async fn open(address: &mut Address, mode: Option<u32>) -> io::Result<Self> {
        match address.place().clone() {
            Place::Stdio => Ok(Door::Stdio(true)),
            Place::Tcp { host, port } => {
                let listener = TcpListener::bind((&*host, port)).await?;
                // A free port was asked for.
                let port = listener.local_addr()?.port();
                address.set_place(Place::Tcp { host, port });
                Ok(Door::Tcp(listener))
            }
            #[cfg(unix)]
            Place::Unix(path) => {
                let (listener, file) = socket_file::bind(&path, mode).await?;
                Ok(Door::Unix(listener, file))
            }
            place => {
                let _ = mode;
                drop(place);
                Err(io::Error::new(ErrorKind::InvalidInput, "nobody can listen there"))
            }
        }
    }

    /// The next connection; `None` when there will be none.
    pub(super) fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Come>>> {
        Poll::Ready(match self {
            Door::Stdio(is_there) => Ok(std::mem::take(is_there).then_some(Come::Stdio)),
            Door::Tcp(listener) => {
                ready!(listener.poll_accept(context)).map(|(stream, from)| Some(Come::Tcp(stream, from)))
            }
            #[cfg(unix)]
            Door::Unix(listener, _) => {
                ready!(listener.poll_accept(context)).map(|(stream, _)| Some(Come::Unix(stream)))
            }
        })
    }
}

impl Come {
    pub(super) fn origin(&self) -> Origin {
        match self {
            Come::Stdio => Origin::Stdio,
            Come::Tcp(_, from) => Origin::Tcp(*from),
            #[cfg(unix)]
            Come::Unix(stream) => {
                let who = stream.peer_cred().ok();
                let (user, group) = (who.map(|who| who.uid()), who.map(|who| who.gid()));
                Origin::Unix { user, group, process: who.and_then(|who| who.pid()) }
            }
        }
    }

    /// Turns it away, with a reason if that can be told without waiting.
    pub(super) fn refuse(self, framing: &impl Framing) {
        let (mut answer, mut framed) = (Vec::new(), Vec::new());
        let error = ErrorObject::new(ErrorObject::SERVER_ERROR, "Too many connections");
        write_error(&mut answer, Id::NULL.as_token(), &error);
        framing.encode(&answer, &mut framed);
        // What fails now is nobody's concern any more.
        let _ = match self {
            Come::Stdio => Ok(()),
            Come::Tcp(stream, _) => stream.into_std().and_then(|mut stream| stream.write_all(&framed)),
            #[cfg(unix)]
            Come::Unix(stream) => stream.into_std().and_then(|mut stream| stream.write_all(&framed)),
        };
    }
}
