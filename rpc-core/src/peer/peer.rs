//! The handle to a peer.

use super::blocked_handlers::BlockedHandler;
use super::closed::Closed;
use super::futures::{PeerBatchFuture, PeerResponseFuture, PeerSendFuture};
use super::keep_alive::ConnectionRef;
use super::shared::Shared;
use crate::client::{BatchResponses, BoxFuture, Caller, Outgoing, OutgoingBatch, TimeoutFuture};
use crate::connection_id::ConnectionId;
use crate::error::CloseReason;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

/// A handle to the peer of a live connection. It is the [`Caller`] of generated clients by default, so that
/// `CalcClient` alone names a client over a connection.
///
/// Clones are handles to the same peer, and compare equal. Calls, notifications and batches are sent in the order in
/// which they are made, also those that wait for room in the output.
///
/// A call fails with [`ClientError::Timeout`](crate::ClientError::Timeout) after the connection's
/// [call timeout](crate::connection::Builder::call_timeout), 60 s by default, unless the method or the call
/// sets its own. A call that is dropped or times out is cancelled in the way of the connection's
/// [`Profile`](crate::profile::Profile).
///
/// The connection of a [client](crate::connection::Connection::client) is [shut down](Peer::shutdown) when its last
/// handle is dropped and no call is pending. With `connect_blocking`, that drop blocks until pending output is written,
/// for at most 5 s. With tokio, a program that exits right away should await [`close`](Peer::close). Other connections
/// live until one side ends them.
///
/// The example is at [`Connection`](crate::connection::Connection).
#[derive(Clone)]
pub struct Peer {
    connection: ConnectionRef,
    handler: Option<BlockedHandler>,
}

impl Peer {
    /// Returns the first handle. With a `drop_timeout`, the connection ends with the last handle and the last call, and
    /// the drop of the handle blocks for at most that time.
    pub(crate) fn new(shared: Arc<Shared>, drop_timeout: Option<Duration>) -> Self {
        let connection = match drop_timeout {
            Some(timeout) => ConnectionRef::strong(shared, timeout),
            None => ConnectionRef::weak(shared),
        };
        Peer { connection, handler: None }
    }

    /// Returns a handle that does not keep the connection alive.
    #[cfg(feature = "tokio")]
    pub(crate) fn to_weak(&self) -> Self {
        Peer { connection: ConnectionRef::weak(self.connection.shared.clone()), handler: None }
    }

    /// Returns the handle of a handler, which blocks no other call while it waits for a call through this handle.
    pub(crate) fn for_handler(shared: Arc<Shared>, handler: BlockedHandler) -> Self {
        Peer { connection: ConnectionRef::weak(shared), handler: Some(handler) }
    }

    /// Returns the id of the connection, unique in the process.
    #[must_use]
    pub fn id(&self) -> ConnectionId {
        self.connection.shared.id()
    }

    /// Returns the connection's value of this type: one that its
    /// [builder](crate::connection::Builder::extension) was given, or the
    /// [`RemoteAddr`](crate::transport::RemoteAddr) of a connection that a listener accepted.
    ///
    /// ```
    /// use rpc_core::connection::Connection;
    /// use rpc_core::transport::memory;
    ///
    /// struct Tenant(&'static str);
    ///
    /// let (here, _there) = memory::pair(1024);
    /// let (peer, _connection) = Connection::client().extension(Tenant("acme")).over(here);
    /// assert_eq!(peer.extension::<Tenant>().map(|tenant| tenant.0), Some("acme"));
    /// ```
    #[must_use]
    pub fn extension<T: Any>(&self) -> Option<&T> {
        self.connection.shared.extensions().get()
    }

    /// Begins an orderly shutdown of the connection: running calls get their responses, new ones are rejected, and all
    /// output is sent. Returns at once.
    pub fn shutdown(&self) {
        self.connection.shared.shutdown();
    }

    /// [Shuts the connection down](Self::shutdown), and resolves to the reason when it has ended. All
    /// messages that were handed over before are sent by then.
    ///
    /// ```
    /// use rpc_core::connection::CloseReason;
    /// use rpc_core::{Server, rpc};
    ///
    /// #[rpc]
    /// trait Log {
    ///     #[rpc(notification)]
    ///     async fn note(&self, line: &str);
    /// }
    /// # struct MyLog;
    /// # impl Log for MyLog { async fn note(&self, _line: &str) {} }
    /// # #[cfg(feature = "tokio")]
    /// # tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
    /// # let listener = Server::new(LogService::new(MyLog)).listen("tcp://127.0.0.1:0").await?;
    /// # let address = listener.address().clone();
    /// # tokio::spawn(listener.run());
    /// let log = LogClient::connect(address).await?;
    /// log.note("the last line").await?;
    /// assert_eq!(log.caller().close().await, CloseReason::ByUs);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(&self) -> impl Future<Output = CloseReason> + Send + 'static {
        self.shutdown();
        self.closed()
    }

    /// Returns the reason for which the connection has ended; `None` while it lives.
    #[must_use]
    pub fn close_reason(&self) -> Option<CloseReason> {
        self.connection.shared.close_reason()
    }

    /// Resolves to the reason when the connection has ended. From then on, no call gets a response. The future does not
    /// keep the connection alive.
    ///
    /// ```
    /// use rpc_core::block_on;
    /// use rpc_core::connection::{CloseReason, Connection};
    /// use rpc_core::transport::memory;
    ///
    /// let (here, there) = memory::pair(1024);
    /// let (peer, connection) = Connection::client().over(here);
    /// let running = std::thread::spawn(move || block_on(connection.run()));
    /// drop(there);
    /// assert_eq!(block_on(peer.closed()), CloseReason::ByPeer);
    /// # let _ = running.join();
    /// ```
    pub fn closed(&self) -> impl Future<Output = CloseReason> + Send + 'static {
        Closed::new(self.connection.shared.clone())
    }

    /// Returns the number of calls that have no response yet.
    #[must_use]
    pub fn pending_calls(&self) -> usize {
        self.connection.shared.pending_calls()
    }
}

/// Handles to the same connection are equal.
impl PartialEq for Peer {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}
impl Eq for Peer {}

impl Hash for Peer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl Caller for Peer {
    type ResponseFuture = TimeoutFuture<PeerResponseFuture>;
    type SendFuture = TimeoutFuture<PeerSendFuture>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        let shared = &self.connection.shared;
        let timeout = outgoing.timeout_or(shared.call_timeout());
        let future = PeerResponseFuture::new(self.connection.clone(), self.handler.clone(), outgoing);
        TimeoutFuture::new(future, shared.sleep(timeout))
    }

    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        let shared = &self.connection.shared;
        let timeout = outgoing.timeout_or(shared.call_timeout());
        let future = PeerSendFuture::new(self.connection.clone(), outgoing);
        let sleep = if future.is_queued() { shared.sleep(timeout) } else { None };
        TimeoutFuture::new(future, sleep)
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        let shared = &self.connection.shared;
        let timeout = batch.timeout_or(shared.call_timeout());
        match PeerBatchFuture::new(self.connection.clone(), self.handler.clone(), batch) {
            Ok(future) => Box::pin(TimeoutFuture::new(future, shared.sleep(timeout))),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn supports_timeouts(&self) -> bool {
        true
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("id", &self.id())
            .field("pending_calls", &self.pending_calls())
            .field("close_reason", &self.close_reason())
            .finish_non_exhaustive()
    }
}
