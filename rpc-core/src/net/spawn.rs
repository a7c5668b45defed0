//! The tasks and threads that connections of an address run on.

use crate::block_on::block_on;
use crate::connection::{Connection, Peer};
use crate::server::Service;
use crate::transport::{Sink, Source};
use std::io;
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::thread;
#[cfg(feature = "tokio")]
use tokio::runtime::Handle;

/// Runs a connection as a task.
#[cfg(feature = "tokio")]
pub(super) fn spawn_task<S: Service, R: Source, W: Sink>(
    runtime: &Handle,
    (peer, connection): (Peer, Connection<S, R, W>),
) -> Peer {
    runtime.spawn(connection.run());
    peer
}

/// Runs a connection on a thread. Drops `guard` when the connection has ended.
pub(super) fn spawn_thread<S: Service, R: Source, W: Sink>(
    (peer, connection): (Peer, Connection<S, R, W>),
    guard: impl Send + 'static,
) -> io::Result<Peer> {
    let run = move || {
        block_on(connection.run());
        drop(guard);
    };
    thread::Builder::new().name("rpc-core connection".into()).spawn(run)?;
    Ok(peer)
}

/// A socket that is shut down on drop, which ends the threads that read and write it.
pub(super) struct ShutdownSocket<T: Socket>(pub(super) T);

/// A blocking socket.
pub(super) trait Socket {
    fn shutdown_both(&self) -> io::Result<()>;
}

impl Socket for TcpStream {
    fn shutdown_both(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Both)
    }
}

#[cfg(unix)]
impl Socket for UnixStream {
    fn shutdown_both(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Both)
    }
}

impl<T: Socket> Drop for ShutdownSocket<T> {
    fn drop(&mut self) {
        // Fails on a socket that is closed already.
        let _ = self.0.shutdown_both();
    }
}
