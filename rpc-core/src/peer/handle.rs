//! The handle.

use super::lent::Lender;
use super::reply::{BatchReplies, PeerReply, PeerSent};
use super::shared::Shared;
use crate::client::{BoxFuture, Caller, Outgoing, OutgoingBatch, Replies};
use crate::error::CloseReason;
use std::fmt;
use std::sync::Arc;

/// The other side of a live connection: a [`Caller`], so that clients are made over it.
///
/// Clones are the same connection. Calls, notifications and batches go out in the order in which they are handed
/// over, those that wait for room as well. A call that is
/// dropped before its reply is cancelled in the way of the connection's [`Profile`](crate::connection::Profile).
///
/// It keeps no time by itself: [`Timed`](crate::client::Timed) around it gives calls up, and so cancels them.
/// The example is at [`Connection`](crate::connection::Connection).
#[derive(Clone)]
pub struct Peer {
    shared: Arc<Shared>,
    lender: Option<Lender>,
}

impl Peer {
    pub(crate) fn of(shared: Arc<Shared>) -> Self {
        Peer { shared, lender: None }
    }

    /// The same, for a handler: while it waits for a call, it holds up nobody.
    pub(crate) fn lent(shared: Arc<Shared>, lender: Lender) -> Self {
        Peer { shared, lender: Some(lender) }
    }

    /// Has the connection end: calls that run are answered, new ones are refused, and what was written
    /// is sent first. Does not wait for it.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Why the connection has ended; `None` while it lives.
    #[must_use]
    pub fn closed(&self) -> Option<CloseReason> {
        self.shared.closed()
    }

    /// How many calls wait for their reply.
    #[must_use]
    pub fn open_calls(&self) -> usize {
        self.shared.open_calls()
    }
}

impl Caller for Peer {
    type Reply = PeerReply;
    type Sent = PeerSent;

    fn call(&self, outgoing: Outgoing) -> PeerReply {
        PeerReply::of(self.shared.clone(), self.lender.clone(), outgoing)
    }

    fn notify(&self, outgoing: Outgoing) -> PeerSent {
        PeerSent::of(self.shared.clone(), outgoing)
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<Replies> {
        match self.shared.batch(batch) {
            Ok(posted) => Box::pin(BatchReplies::of(self.shared.clone(), self.lender.clone(), posted)),
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
