//! The handle.

use super::blocked_handlers::BlockedHandler;
use super::closed::Closed;
use super::futures::{PeerBatchFuture, PeerResponseFuture, PeerSendFuture};
use super::keep_alive::ConnectionHandle;
use super::shared::Shared;
use crate::client::{BatchResponses, BoxFuture, Caller, Outgoing, OutgoingBatch};
use crate::error::CloseReason;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The other side of a live connection: a [`Caller`], so that clients are made over it.
///
/// Clones are the same connection. Calls, notifications and batches go out in the order in which they are handed
/// over, those that wait for room as well. A call that is
/// dropped before its reply is cancelled in the way of the connection's [`Profile`](crate::connection::Profile).
///
/// A connection whose server is `()` serves nothing, so it [stops](Peer::shutdown) when its last handle is dropped and no
/// call is open any more. Others live until one side ends them.
///
/// It keeps no time by itself: [`Timeout`](crate::client::Timeout) around it gives calls up, and so cancels them.
/// The example is at [`Connection`](crate::connection::Connection).
#[derive(Clone)]
pub struct Peer {
    line: ConnectionHandle,
    blocked: Option<BlockedHandler>,
}

impl Peer {
    /// The first handle. With a `drop_timeout` the connection ends with the last handle and the last call, and is waited
    /// for so long.
    pub(crate) fn of(shared: Arc<Shared>, drop_timeout: Option<Duration>) -> Self {
        let line = match drop_timeout {
            Some(drop_timeout) => ConnectionHandle::keeping(shared, drop_timeout),
            None => ConnectionHandle::of(shared),
        };
        Peer { line, blocked: None }
    }

    /// The same, but it does not keep the connection alive. Listeners hold such handles.
    #[cfg(feature = "tokio")]
    pub(crate) fn weak(&self) -> Self {
        Peer { line: ConnectionHandle::of(self.line.shared.clone()), blocked: None }
    }

    /// The same, for a handler: while it waits for a call, it holds up nobody.
    pub(crate) fn for_handler(shared: Arc<Shared>, blocked: BlockedHandler) -> Self {
        Peer { line: ConnectionHandle::of(shared), blocked: Some(blocked) }
    }

    /// Has the connection end: calls that run are answered, new ones are refused, and what was written
    /// is sent first. Does not wait for it.
    pub fn shutdown(&self) {
        self.line.shared.shutdown();
    }

    /// [Stops](Self::shutdown) the connection and waits until it has ended: what was handed over is sent by then, and
    /// what runs is answered. A program that ends without it may take with it what was not yet written.
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
    /// log.note("the last thing that happens here").await?;
    /// assert_eq!(log.caller().close().await, CloseReason::ByUs);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(&self) -> impl Future<Output = CloseReason> + Send + 'static {
        self.shutdown();
        self.closed()
    }

    /// Why the connection has ended; `None` while it lives.
    #[must_use]
    pub fn close_reason(&self) -> Option<CloseReason> {
        self.line.shared.close_reason()
    }

    /// Waits until the connection has ended, and says why. From then on no call is answered any more. CallTable for
    /// the end does not keep a connection alive, as a handle may.
    ///
    /// ```
    /// use rpc_core::connection::{CloseReason, Connection};
    /// use rpc_core::transport::memory;
    /// use rpc_core::{Server, block_on};
    ///
    /// let (here, there) = memory::pair(1024);
    /// let (peer, connection) = Connection::builder(Server::new(())).over(here);
    /// let running = std::thread::spawn(move || block_on(connection.run()));
    /// drop(there);
    /// assert_eq!(block_on(peer.closed()), CloseReason::ByPeer);
    /// # let _ = running.join();
    /// ```
    pub fn closed(&self) -> impl Future<Output = CloseReason> + Send + 'static {
        Closed::of(ConnectionHandle::of(self.line.shared.clone()))
    }

    /// How many calls wait for their reply.
    #[must_use]
    pub fn pending_calls(&self) -> usize {
        self.line.shared.pending_calls()
    }
}

impl Caller for Peer {
    type ResponseFuture = PeerResponseFuture;
    type SendFuture = PeerSendFuture;

    fn call(&self, outgoing: Outgoing) -> PeerResponseFuture {
        PeerResponseFuture::of(self.line.clone(), self.blocked.clone(), outgoing)
    }

    fn notify(&self, outgoing: Outgoing) -> PeerSendFuture {
        PeerSendFuture::of(self.line.clone(), outgoing)
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        match self.line.shared.batch(batch) {
            Ok(posted) => Box::pin(PeerBatchFuture::of(self.line.clone(), self.blocked.clone(), posted)),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("pending_calls", &self.pending_calls())
            .field("close_reason", &self.close_reason())
            .finish_non_exhaustive()
    }
}
