//! Connections that run on threads of their own.

use super::to_address::{ToAddress, at};
use crate::block_on::block_on;
use crate::connection::{Builder, Connection, Peer};
use crate::limits::CONNECT_TIMEOUT;
use crate::server::Service;
use crate::transport::{Address, Endpoint, Sink, Source, child, shell, stdio, threads};
use std::io;
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::Duration;

/// How long the last handle waits for what is not yet written.
const DROP_TIMEOUT: Duration = Duration::from_secs(5);

/// Connects to a server, for programs without an async runtime: the connection runs on threads of its own, and
/// calls are made with [`Call::wait`](crate::client::Call::wait).
///
/// ```
/// use rpc_core::{net, rpc};
///
/// #[rpc]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
/// }
///
/// # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let address = format!("tcp://{}", listener.local_addr()?);
/// # std::thread::spawn(move || {
/// #     use std::io::{BufRead, Write};
/// #     let (stream, _) = listener.accept()?;
/// #     let mut line = String::new();
/// #     std::io::BufReader::new(&stream).read_line(&mut line)?;
/// #     (&stream).write_all(b"{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":1}\n")
/// # });
/// let calc = CalcClient::new(net::connect_blocking(address)?);
/// assert_eq!(calc.subtract(42, 23).wait()?, 19);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When the address is none (of kind `InvalidInput`), or the other side cannot be reached.
pub fn connect_blocking(address: impl ToAddress) -> io::Result<Peer> {
    Connection::client().connect_blocking(address)
}

impl<S: Service> Builder<S> {
    /// Connects to the other side, and runs the connection on threads of its own until it ends. A TCP address that
    /// does not answer is given up after 60 seconds. The handle calls
    /// the other side, and [tells](Peer::closed) when the connection has ended.
    ///
    /// # Errors
    ///
    /// When the address is none (of kind `InvalidInput`), or the other side cannot be reached.
    pub fn connect_blocking(self, address: impl ToAddress) -> io::Result<Peer> {
        let address = address.to_address()?;
        self.connect_on_threads(&address).map_err(|error| at(&address, &error))
    }

    fn connect_on_threads(self, address: &Address) -> io::Result<Peer> {
        let this = self.drop_timeout(DROP_TIMEOUT);
        let framing = address.framing();
        match address.endpoint() {
            Endpoint::Stdio => launch(this.over(stdio(framing))),
            Endpoint::Exec(line) => launch(this.over(child(shell(line), framing)?.1)),
            Endpoint::Tcp { host, port } => {
                let stream = reach(host, *port)?;
                stream.set_nodelay(true)?;
                let reader = stream.try_clone()?;
                let writer = stream.try_clone()?;
                launch_with(this.over(threads(reader, writer, framing)), Closing(stream))
            }
            #[cfg(unix)]
            Endpoint::Unix(path) => {
                let stream = std::os::unix::net::UnixStream::connect(path)?;
                let reader = stream.try_clone()?;
                let writer = stream.try_clone()?;
                launch_with(this.over(threads(reader, writer, framing)), Closing(stream))
            }
            #[cfg(not(unix))]
            Endpoint::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// Connects to the first of a host's addresses that can be reached.
fn reach(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Runs a connection on a thread.
fn launch<S: Service, R: Source, W: Sink>(ends: (Peer, Connection<S, R, W>)) -> io::Result<Peer> {
    launch_with(ends, ())
}

/// Runs a connection on a thread. What is `held` is dropped when it has ended.
fn launch_with<S: Service, R: Source, W: Sink>(
    (peer, connection): (Peer, Connection<S, R, W>),
    held: impl Send + 'static,
) -> io::Result<Peer> {
    let run = move || {
        block_on(connection.run());
        drop(held);
    };
    thread::Builder::new().name("rpc-core connection".into()).spawn(run)?;
    Ok(peer)
}

/// A socket that is shut when its connection has ended: the threads that read and write it end by that.
struct Closing<T: Socket>(T);

trait Socket {
    fn shut(&self) -> io::Result<()>;
}

impl Socket for TcpStream {
    fn shut(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Both)
    }
}

#[cfg(unix)]
impl Socket for std::os::unix::net::UnixStream {
    fn shut(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Both)
    }
}

impl<T: Socket> Drop for Closing<T> {
    fn drop(&mut self) {
        // What fails now is nobody's concern any more.
        let _ = self.0.shut();
    }
}
