//! The future that waits for the end of a connection.

use super::shared::Shared;
use crate::error::CloseReason;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Resolves to the reason when the connection has ended.
pub(super) struct Closed {
    shared: Arc<Shared>,
    ticket: Option<u64>,
}

impl Closed {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Closed { shared, ticket: None }
    }
}

impl Future for Closed {
    type Output = CloseReason;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CloseReason> {
        let this = &mut *self;
        this.shared.poll_closed(&mut this.ticket, context.waker())
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.shared.unregister_closed(ticket);
        }
    }
}
