//! Clients whose connections run on threads of their own.

use super::to_address::{ToAddress, with_address};
use crate::connection::{Builder, Connection, Peer};
use crate::limits::DROP_TIMEOUT;
use crate::server::Service;
use std::io;

/// Connects to a server without an async runtime, with the default settings of [`Connection::client`].
///
/// The connection runs on threads of its own. Calls are made with [`Call::wait`](crate::client::Call::wait).
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
/// `InvalidInput` if the address is not valid, or the error of the system if the connection fails. A TCP connection
/// times out after 60 s for each address of the host.
pub fn connect_blocking(address: impl ToAddress) -> io::Result<Peer> {
    Connection::client().connect_blocking(address)
}

impl<S: Service> Builder<S> {
    /// Connects to an address without an async runtime, and runs the connection on threads of its own.
    ///
    /// # Errors
    ///
    /// `InvalidInput` if the address is not valid, or the error of the system if the connection fails. A TCP connection
    /// times out after 60 s for each address of the host.
    pub fn connect_blocking(self, address: impl ToAddress) -> io::Result<Peer> {
        let address = address.to_address()?;
        let builder = self.drop_timeout(DROP_TIMEOUT);
        let connected = address.endpoint().connect_blocking(address.framing(), builder);
        connected.map_err(|error| with_address(&address, &error))
    }
}
