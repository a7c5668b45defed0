//! Clients whose connections run as tasks of tokio.

use super::to_address::{ToAddress, with_address};
use crate::connection::{Builder, Connection, Peer};
use crate::limits::CONNECT_TIMEOUT;
use crate::server::Service;
use crate::time::{ThreadTimer, Timer};
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::task::Poll;
use tokio::runtime::Handle;

/// Connects to a server, with the default settings of [`Connection::client`]; requires the feature `tokio`.
///
/// The connection runs as a task of the tokio runtime that this function is awaited in.
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
/// `InvalidInput` if the address is not valid, `TimedOut` after 60 s, the error of the system if the connection fails,
/// and an error if there is no runtime.
pub async fn connect(address: impl ToAddress) -> io::Result<Peer> {
    Connection::client().connect(address).await
}

impl<S: Service> Builder<S> {
    /// Connects to an address, and runs the connection as a task of the tokio runtime that this function is awaited in;
    /// requires the feature `tokio`.
    ///
    /// # Errors
    ///
    /// `InvalidInput` if the address is not valid, `TimedOut` after 60 s, the error of the system if the connection
    /// fails, and an error if there is no runtime.
    pub async fn connect(self, address: impl ToAddress) -> io::Result<Peer> {
        let runtime = runtime()?;
        let address = address.to_address()?;
        let mut connecting = pin!(address.endpoint().connect(address.framing(), self, &runtime));
        let mut timeout = ThreadTimer.sleep(CONNECT_TIMEOUT);
        let connected = poll_fn(|context| match connecting.as_mut().poll(context) {
            Poll::Pending => timeout.as_mut().poll(context).map(|()| Err(ErrorKind::TimedOut.into())),
            connected @ Poll::Ready(_) => connected,
        });
        connected.await.map_err(|error| with_address(&address, &error))
    }
}

/// Returns the runtime of the current task. The functions of tokio that need one panic without it.
pub(super) fn runtime() -> io::Result<Handle> {
    Handle::try_current().map_err(|_| io::Error::other("there is no tokio runtime; await this function inside one"))
}
