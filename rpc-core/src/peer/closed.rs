//! What waits for the end of a connection.

use super::keep_alive::ConnectionHandle;
use crate::error::CloseReason;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Resolves when the connection has ended, to the reason.
pub(super) struct Closed {
    line: ConnectionHandle,
    ticket: Option<u64>,
}

impl Closed {
    pub(super) fn of(line: ConnectionHandle) -> Self {
        Closed { line, ticket: None }
    }
}

impl Future for Closed {
    type Output = CloseReason;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CloseReason> {
        let me = &mut *self;
        me.line.shared.poll_closed(&mut me.ticket, context.waker())
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.line.shared.unregister_closed(ticket);
        }
    }
}
