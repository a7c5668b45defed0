//! Serves whoever connects.

use super::acceptor::{Accepted, Acceptor};
use super::connect::runtime;
use super::shutdown_handle::{ShutdownHandle, ShutdownSignal};
use super::to_address::{ToAddress, at};
use crate::connection::{Builder, Connection, Peer};
use crate::limits::{LISTENER_CONNECTIONS, LISTENER_SHUTDOWN_TIMEOUT};
use crate::server::{Server, Service};
use crate::time::{ThreadTimer, Timer};
use crate::transport::RemoteAddr;
use crate::transport::{Address, Sink, Source, stdio, tcp};
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::JoinSet;

/// How long a listener rests when the system has no more room for connections.
const REST: Duration = Duration::from_millis(100);

/// How long calls may run on when it is stopped, and output wait to be read.

/// How long it rests when the last of its places was taken: who takes one may be gone, and nobody has looked yet.
const LOOK: Duration = Duration::from_millis(50);

impl<S: Service> Server<S> {
    /// Listens at an address, with default [`ListenerBuilder`]. Needs the feature `tokio`. The example is at [`Listener`].
    ///
    /// At `stdio:` this process's stdout is the wire: a handler that uses `println!` writes a line that the other side
    /// cannot read. Log to stderr, with `eprintln!`, `dbg!` or a logger set to it.
    ///
    /// # Errors
    ///
    /// When the address is none, nobody can listen there, or there is no runtime.
    pub async fn listen(self, address: impl ToAddress) -> io::Result<Listener<S>> {
        Listener::builder(self).listen(address).await
    }
}

/// What a listener is to do.
///
/// | limit | default | setter | over it |
/// |---|---|---|---|
/// | connections | 1,024 | [`max_connections`](Self::max_connections) | a further one is told -32000 under the id null, and closed |
/// | time for what runs when it is stopped | 10 s | [`Builder::grace`] | calls are dropped, and what the other side did not read is lost |
///
/// The limits of each connection are those of its [`Builder`], which [`each`](Self::configure) sets. Each has its
/// [`RemoteAddr`] as an extension.
///
/// ```
/// use rpc_core::profile::Profile;
/// use rpc_core::net::Listener;
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
///     .listen("tcp+lsp://127.0.0.1:0")
///     .await?;
/// # drop(listener);
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "nobody listens before `listen` is called"]
pub struct ListenerBuilder<S: Service> {
    server: Server<S>,
    connections: usize,
    mode: Option<u32>,
    shutdown_handle: ShutdownHandle,
    each: Arc<dyn Fn(Builder<S>) -> Builder<S> + Send + Sync>,
    opened: Arc<dyn Fn(&Peer) + Send + Sync>,
}

impl<S: Service> Listener<S> {
    /// Sets up a listener that serves `server` on each connection.
    pub fn builder(server: Server<S>) -> ListenerBuilder<S> {
        ListenerBuilder {
            server,
            connections: LISTENER_CONNECTIONS,
            mode: None,
            shutdown_handle: ShutdownHandle::default(),
            each: Arc::new(|builder| builder),
            opened: Arc::new(|_| ()),
        }
    }
}

impl<S: Service> ListenerBuilder<S> {
    /// Sets what stops the listener, so that it can be known before: to the service, for instance.
    pub fn shutdown_handle(mut self, shutdown_handle: &ShutdownHandle) -> Self {
        self.shutdown_handle = shutdown_handle.clone();
        self
    }

    /// Sets how many connections may be open at once.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Sets who may connect to a Unix socket: the mode of its file, such as `0o600`. It holds before anybody can
    /// connect. Without this the process's umask rules.
    pub fn unix_mode(mut self, mode: u32) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets each connection up.
    pub fn configure(mut self, set: impl Fn(Builder<S>) -> Builder<S> + Send + Sync + 'static) -> Self {
        self.each = Arc::new(set);
        self
    }

    /// Shows the other side of each connection when it opens, to call it whenever there is a reason.
    pub fn on_open(mut self, show: impl Fn(&Peer) + Send + Sync + 'static) -> Self {
        self.opened = Arc::new(show);
        self
    }

    /// Begins to listen. Connections are taken as soon as the listener runs.
    ///
    /// The file of a Unix socket that nobody listens on any more is replaced.
    ///
    /// # Errors
    ///
    /// When the address is none, nobody can listen there (of kind `InvalidInput` for a child process), or there is no
    /// runtime.
    pub async fn listen(self, address: impl ToAddress) -> io::Result<Listener<S>> {
        let mut address = address.to_address()?;
        runtime()?;
        let door = Acceptor::open(&mut address, self.mode).await.map_err(|error| at(&address, &error))?;
        let attending = self.shutdown_handle.register_listener();
        Ok(Listener { settings: self, address, door, attending, open: JoinSet::new(), rest: None })
    }
}

impl<S: Service> fmt::Debug for ListenerBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("server", &self.server)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

/// Serves whoever connects to an address, while [`run`](Self::run) is awaited. Needs the feature `tokio`.
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
#[must_use = "connections are taken while `run` is awaited"]
pub struct Listener<S: Service> {
    settings: ListenerBuilder<S>,
    address: Address,
    door: Acceptor,
    attending: ShutdownSignal,
    open: JoinSet<()>,
    /// Until when nobody is taken.
    rest: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl<S: Service> Listener<S> {
    /// Where it listens: with the port, if any free one was asked for.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// What stops it.
    #[must_use]
    pub fn shutdown_handle(&self) -> ShutdownHandle {
        self.settings.shutdown_handle.clone()
    }

    /// Serves until it is stopped, or until the only connection of stdin and stdout has ended: takes connections
    /// without waiting for any, and in the end waits for those that are open.
    ///
    /// The address is free again as soon as it stops, and the file of a Unix socket removed. When this
    /// future is dropped, so are all its connections.
    pub async fn run(mut self) {
        poll_fn(|context| self.take(context)).await;
        let Listener { mut open, door, .. } = self;
        drop(door);
        while open.join_next().await.is_some() {}
    }

    /// Takes connections until there will be no more.
    fn take(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            while let Poll::Ready(Some(_)) = self.open.poll_join_next(context) {
                // There is room again.
                self.rest = None;
            }
            if self.attending.is_stopped(context) {
                return Poll::Ready(());
            }
            if let Some(rest) = &mut self.rest {
                std::task::ready!(rest.as_mut().poll(context));
                self.rest = None;
            }
            match std::task::ready!(self.door.poll_accept(context)) {
                Ok(Some(come)) if self.open.len() < self.settings.connections => {
                    self.admit(come);
                    if self.open.len() == self.settings.connections {
                        self.rest = Some(ThreadTimer.sleep(LOOK));
                    }
                }
                Ok(Some(come)) => come.refuse(&self.address.framing()),
                Ok(None) => return Poll::Ready(()),
                // It was gone before it was taken.
                Err(error) if is_about_one(&error) => {}
                Err(_) => self.rest = Some(ThreadTimer.sleep(REST)),
            }
        }
    }

    fn admit(&mut self, come: Accepted) {
        let (framing, origin) = (self.address.framing(), come.origin());
        match come {
            Accepted::Stdio => self.open(stdio(framing), origin),
            Accepted::Tcp(stream, _) => self.open(tcp(stream, framing), origin),
            #[cfg(unix)]
            Accepted::Unix(stream) => self.open(crate::transport::unix(stream, framing), origin),
        }
    }

    fn open<R: Source, W: Sink>(&mut self, ends: (R, W), origin: RemoteAddr) {
        let builder = Connection::builder(self.settings.server.clone())
            .shutdown_timeout(LISTENER_SHUTDOWN_TIMEOUT)
            .extension(origin);
        let (each, opened, shutdown_handle) =
            (self.settings.each.clone(), self.settings.opened.clone(), self.shutdown_handle());
        self.open.spawn(async move {
            // What the user's functions do, they do to this connection alone.
            let (peer, connection) = each(builder).over(ends);
            let open = shutdown_handle.register(&peer);
            opened(&peer);
            drop(peer);
            connection.run().await;
            drop(open);
        });
    }
}

/// Whether an error of `accept` is about the connection that it would have been, not about the listener.
fn is_about_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

impl<S: Service> fmt::Debug for Listener<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("address", &self.address).finish_non_exhaustive()
    }
}
