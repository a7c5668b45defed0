//! Connections that run as tasks of tokio.

use super::to_address::{ToAddress, at};
use crate::connection::{Builder, Connection, Peer};
use crate::limits::CONNECT_TIMEOUT;
use crate::server::Service;
use crate::time::{ThreadTimer, Timer};
use crate::transport::{Address, Endpoint, Sink, Source, child, shell, stdio, tcp};
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::task::Poll;
use tokio::net::TcpStream;
use tokio::runtime::Handle;

/// Connects to a server; the connection runs as a task of the tokio runtime that this is awaited in. Needs the
/// feature `tokio`.
///
/// ```
/// use rpc_core::{Server, net, rpc};
///
/// #[rpc]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
/// }
/// struct MyCalc;
/// impl Calc for MyCalc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
///         minuend - subtrahend
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
/// let listener = Server::new(CalcService::new(MyCalc)).listen("tcp://127.0.0.1:0").await?;
/// let address = listener.address().clone();
/// tokio::spawn(listener.run());
///
/// let calc = CalcClient::new(net::connect(address).await?);
/// assert_eq!(calc.subtract(42, 23).await?, 19);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When the address is none (of kind `InvalidInput`), the other side cannot be reached, or there is no runtime.
pub async fn connect(address: impl ToAddress) -> io::Result<Peer> {
    Connection::client().connect(address).await
}

impl<S: Service> Builder<S> {
    /// Connects to the other side, and runs the connection as a task of the tokio runtime that this is awaited in,
    /// until it ends. What does not answer is given up after 60 seconds. The handle calls the other side, and [tells](Peer::closed) when the connection has ended.
    /// Needs the feature `tokio`. The handle keeps no time: [`Timeout`] around it does, as in [`Connected`].
    ///
    /// # Errors
    ///
    /// When the address is none (of kind `InvalidInput`), the other side cannot be reached, or there is no runtime.
    pub async fn connect(self, address: impl ToAddress) -> io::Result<Peer> {
        let runtime = runtime()?;
        let address = address.to_address()?;
        let (mut connecting, mut late) =
            (pin!(self.connect_on(&runtime, &address)), ThreadTimer.sleep(CONNECT_TIMEOUT));
        let connected = poll_fn(|context| match connecting.as_mut().poll(context) {
            Poll::Pending => late.as_mut().poll(context).map(|()| Err(ErrorKind::TimedOut.into())),
            end @ Poll::Ready(_) => end,
        });
        connected.await.map_err(|error| at(&address, &error))
    }

    async fn connect_on(self, runtime: &Handle, address: &Address) -> io::Result<Peer> {
        let framing = address.framing();
        match address.endpoint() {
            Endpoint::Stdio => Ok(launch(runtime, self.over(stdio(framing)))),
            Endpoint::Exec(line) => Ok(launch(runtime, self.over(child(shell(line), framing)?.1))),
            Endpoint::Tcp { host, port } => {
                let stream = TcpStream::connect((&**host, *port)).await?;
                Ok(launch(runtime, self.over(tcp(stream, framing))))
            }
            #[cfg(unix)]
            Endpoint::Unix(path) => {
                let stream = tokio::net::UnixStream::connect(path).await?;
                Ok(launch(runtime, self.over(crate::transport::unix(stream, framing))))
            }
            #[cfg(not(unix))]
            Endpoint::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// The runtime that this runs in. Without one, tokio panics.
pub(super) fn runtime() -> io::Result<Handle> {
    Handle::try_current().map_err(|_| io::Error::other("this needs a tokio runtime: await it inside one"))
}

fn launch<S: Service, R: Source, W: Sink>(runtime: &Handle, (peer, connection): (Peer, Connection<S, R, W>)) -> Peer {
    runtime.spawn(connection.run());
    peer
}
