//! The handle.

use super::ended::Ended;
use super::lent::Lender;
use super::line::Line;
use super::reply::{BatchReplies, PeerReply, PeerSent};
use super::shared::Shared;
use crate::client::{BoxFuture, Caller, Outgoing, OutgoingBatch, Replies};
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
/// A connection whose server is `()` serves nothing, so it [stops](Peer::stop) when its last handle is dropped and no
/// call is open any more. Others live until one side ends them.
///
/// It keeps no time by itself: [`Timed`](crate::client::Timed) around it gives calls up, and so cancels them.
/// The example is at [`Connection`](crate::connection::Connection).
#[derive(Clone)]
pub struct Peer {
    line: Line,
    lender: Option<Lender>,
}

impl Peer {
    /// The first handle. With a `farewell` the connection ends with the last handle and the last call, and is waited
    /// for so long.
    pub(crate) fn of(shared: Arc<Shared>, farewell: Option<Duration>) -> Self {
        let line = match farewell {
            Some(farewell) => Line::keeping(shared, farewell),
            None => Line::of(shared),
        };
        Peer { line, lender: None }
    }

    /// The same, but it does not keep the connection alive. Listeners hold such handles.
    #[cfg(feature = "tokio")]
    pub(crate) fn loosened(&self) -> Self {
        Peer { line: Line::of(self.line.shared.clone()), lender: None }
    }

    /// The same, for a handler: while it waits for a call, it holds up nobody.
    pub(crate) fn lent(shared: Arc<Shared>, lender: Lender) -> Self {
        Peer { line: Line::of(shared), lender: Some(lender) }
    }

    /// Has the connection end: calls that run are answered, new ones are refused, and what was written
    /// is sent first. Does not wait for it.
    pub fn stop(&self) {
        self.line.shared.stop();
    }

    /// [Stops](Self::stop) the connection and waits until it has ended: what was handed over is sent by then, and
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
        self.stop();
        self.ended()
    }

    /// Why the connection has ended; `None` while it lives.
    #[must_use]
    pub fn closed(&self) -> Option<CloseReason> {
        self.line.shared.closed()
    }

    /// Waits until the connection has ended, and says why. From then on no call is answered any more. Waiting for
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
    /// assert_eq!(block_on(peer.ended()), CloseReason::ByPeer);
    /// # let _ = running.join();
    /// ```
    pub fn ended(&self) -> impl Future<Output = CloseReason> + Send + 'static {
        Ended::of(Line::of(self.line.shared.clone()))
    }

    /// How many calls wait for their reply.
    #[must_use]
    pub fn open_calls(&self) -> usize {
        self.line.shared.open_calls()
    }
}

impl Caller for Peer {
    type Reply = PeerReply;
    type Sent = PeerSent;

    fn call(&self, outgoing: Outgoing) -> PeerReply {
        PeerReply::of(self.line.clone(), self.lender.clone(), outgoing)
    }

    fn notify(&self, outgoing: Outgoing) -> PeerSent {
        PeerSent::of(self.line.clone(), outgoing)
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<Replies> {
        match self.line.shared.batch(batch) {
            Ok(posted) => Box::pin(BatchReplies::of(self.line.clone(), self.lender.clone(), posted)),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("open_calls", &self.open_calls())
            .field("closed", &self.closed())
            .finish_non_exhaustive()
    }
}
