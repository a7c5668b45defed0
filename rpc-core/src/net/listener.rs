//! A server for many clients at one address.

use super::accept_loop::{AcceptLoop, BoundAcceptor};
use super::address::Address;
use super::connect::runtime;
use super::endpoint::BindOptions;
use super::shutdown_handle::{ShutdownHandle, ShutdownSignal};
use super::to_address::{ToAddress, with_address};
use crate::connection::{Builder, CloseReason, Peer};
use crate::server::{Server, Service};
use crate::transport::Acceptor;
use std::fmt;
use std::io;
use std::sync::Arc;

impl<S: Service> Server<S> {
    /// Listens at an address, with the default settings of a [`ListenerBuilder`]; requires the feature `tokio`. For
    /// limits and hooks, use [`Listener::builder`]. The example is at [`Listener`].
    ///
    /// At `stdio:`, stdout carries the messages: a handler that uses `println!` writes a line that the peer
    /// cannot parse. Log to stderr, with `eprintln!`, `dbg!` or a logger that writes there.
    ///
    /// # Errors
    ///
    /// `InvalidInput` if the address is not valid, the error of the system if it cannot be bound, and an error if there
    /// is no runtime.
    pub async fn listen(self, address: impl ToAddress) -> io::Result<Listener<S>> {
        Listener::builder(self).listen(address).await
    }
}

/// The settings of a [`Listener`], made by [`Listener::builder`].
///
/// | limit | default | setter | above it |
/// |---|---|---|---|
/// | open connections | 1,024 | [`max_connections`](Self::max_connections) | a further connection gets -32000 "Too many connections" under the id null, and is closed |
/// | time of a shutdown | 10 s | [`Builder::shutdown_timeout`] | running calls are dropped, and unsent output is lost |
///
/// [`configure`](Self::configure) sets the limits of each connection. Each has the
/// [`RemoteAddr`](super::RemoteAddr) of its peer as an extension.
///
/// ```
/// use rpc_core::net::{Listener, RemoteAddr};
/// use rpc_core::profile::Profile;
/// use rpc_core::{Server, rpc};
///
/// #[rpc]
/// trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
/// # struct MyCalc;
/// # impl Calc for MyCalc { async fn add(&self, a: i64, b: i64) -> i64 { a + b } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
/// let listener = Listener::builder(Server::new(CalcService::new(MyCalc)))
///     .max_connections(10)
///     .configure(|connection| connection.profile(Profile::lsp()).max_running(100))
///     .on_open(|peer| eprintln!("#{} from {:?}", peer.id(), peer.extension::<RemoteAddr>()))
///     .on_close(|peer, reason| eprintln!("#{} ended: {reason}", peer.id()))
///     .listen("tcp+lsp://127.0.0.1:0")
///     .await?;
/// # drop(listener);
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "a listener is made by `listen` or `over`"]
pub struct ListenerBuilder<S: Service> {
    accept_loop: AcceptLoop<S>,
    options: BindOptions,
}

impl<S: Service> Listener<S> {
    /// Returns the settings of a listener that serves `server` on each connection.
    pub fn builder(server: Server<S>) -> ListenerBuilder<S> {
        ListenerBuilder { accept_loop: AcceptLoop::new(server), options: BindOptions::default() }
    }
}

impl<S: Service> ListenerBuilder<S> {
    /// Sets the handle that shuts the listener down, in place of a new one. A handle that is made before the
    /// listener can be a part of the service.
    pub fn shutdown_handle(mut self, shutdown_handle: &ShutdownHandle) -> Self {
        self.accept_loop.shutdown_handle = shutdown_handle.clone();
        self
    }

    /// Sets the number of connections that may be open at once.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.accept_loop.max_connections = connections;
        self
    }

    /// Sets the mode of the file of a Unix socket, such as `0o600`, before a peer can connect. By default the umask of
    /// the process applies.
    pub fn unix_mode(mut self, mode: u32) -> Self {
        self.options.unix_mode = Some(mode);
        self
    }

    /// Sets a function that sets up each connection. A panic there closes this connection only.
    pub fn configure(mut self, configure: impl Fn(Builder<S>) -> Builder<S> + Send + Sync + 'static) -> Self {
        self.accept_loop.hooks.configure = Arc::new(configure);
        self
    }

    /// Sets a function that is called when a connection opens. It can keep a clone of the peer to call it
    /// later, and sees its [`RemoteAddr`](super::RemoteAddr) and other values with [`Peer::extension`]. A
    /// panic there closes this connection only.
    pub fn on_open(mut self, on_open: impl Fn(&Peer) + Send + Sync + 'static) -> Self {
        self.accept_loop.hooks.on_open = Arc::new(on_open);
        self
    }

    /// Sets a function that is called when a connection has ended, with the reason, once for each connection that
    /// [`on_open`](Self::on_open) saw.
    pub fn on_close(mut self, on_close: impl Fn(&Peer, &CloseReason) + Send + Sync + 'static) -> Self {
        self.accept_loop.hooks.on_close = Arc::new(on_close);
        self
    }

    /// Listens at an address. Connections are accepted while [`Listener::run`] is awaited.
    ///
    /// Replaces the file of a Unix socket at which no server listens any more.
    ///
    /// # Errors
    ///
    /// `InvalidInput` if the address is not valid or names a child process, the error of the system if it cannot be
    /// bound, and an error if there is no runtime.
    pub async fn listen(self, address: impl ToAddress) -> io::Result<Listener<S>> {
        let mut address = address.to_address()?;
        runtime()?;
        let bound = address.endpoint().clone().bind(address.framing(), &self.options).await;
        let (endpoint, acceptor) = bound.map_err(|error| with_address(&address, &error))?;
        address.set_endpoint(endpoint);
        Ok(Listener::new(self.accept_loop, address, acceptor))
    }

    /// Listens with an acceptor: of another transport, of a socket that the program has bound itself, or with another
    /// framing. The example is at [`Acceptor`].
    ///
    /// # Errors
    ///
    /// Fails if there is no runtime.
    pub fn over(self, acceptor: impl Acceptor) -> io::Result<Listener<S, ()>> {
        runtime()?;
        Ok(Listener::new(self.accept_loop, (), BoundAcceptor::new(acceptor)))
    }
}

impl<S: Service> fmt::Debug for ListenerBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListenerBuilder")
            .field("server", &self.accept_loop.server)
            .field("max_connections", &self.accept_loop.max_connections)
            .finish_non_exhaustive()
    }
}

/// Serves each connection that it accepts, while [`run`](Self::run) is awaited; requires the feature `tokio`.
///
/// `A` is its [`Address`], or `()` for a listener over an [`Acceptor`].
///
/// ```
/// use rpc_core::{Server, rpc};
///
/// #[rpc]
/// trait Calc {
///     async fn add(&self, a: i64, b: i64) -> i64;
/// }
/// struct MyCalc;
/// impl Calc for MyCalc {
///     async fn add(&self, a: i64, b: i64) -> i64 {
///         a + b
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
/// let listener = Server::new(CalcService::new(MyCalc)).listen("tcp://127.0.0.1:0").await?;
/// let (address, shutdown_handle) = (listener.address().to_string(), listener.shutdown_handle());
/// let serving = tokio::spawn(listener.run());
///
/// let calc = CalcClient::connect(address).await?;
/// assert_eq!(calc.add(1, 2).await?, 3);
///
/// shutdown_handle.shutdown();
/// serving.await?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "connections are accepted while `run` is awaited"]
pub struct Listener<S: Service, A = Address> {
    accept_loop: AcceptLoop<S>,
    address: A,
    acceptor: BoundAcceptor<S>,
    signal: ShutdownSignal,
}

impl<S: Service> Listener<S> {
    /// Returns the address that the listener is bound to. Port 0 is replaced by the port that the system chose.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }
}

impl<S: Service, A> Listener<S, A> {
    fn new(accept_loop: AcceptLoop<S>, address: A, acceptor: BoundAcceptor<S>) -> Self {
        let signal = accept_loop.shutdown_handle.register_listener();
        Listener { accept_loop, address, acceptor, signal }
    }

    /// Returns the handle that shuts the listener down.
    #[must_use]
    pub fn shutdown_handle(&self) -> ShutdownHandle {
        self.accept_loop.shutdown_handle.clone()
    }

    /// Accepts connections and serves them, until the listener is shut down or its acceptor has no more
    /// connections, as at `stdio:` after the only one. Then waits until the open connections have ended.
    ///
    /// A shutdown frees the address at once, and removes the file of a Unix socket. If this future is
    /// dropped, so are all connections.
    pub async fn run(self) {
        self.acceptor.run(self.accept_loop, self.signal).await;
    }
}

impl<S: Service, A: fmt::Debug> fmt::Debug for Listener<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("address", &self.address).finish_non_exhaustive()
    }
}
