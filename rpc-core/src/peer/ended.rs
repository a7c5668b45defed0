//! What waits for the end of a connection.

use super::line::Line;
use crate::error::CloseReason;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Resolves when the connection has ended, to the reason.
pub(super) struct Ended {
    line: Line,
    ticket: Option<u64>,
}

impl Ended {
    pub(super) fn of(line: Line) -> Self {
        Ended { line, ticket: None }
    }
}

impl Future for Ended {
    type Output = CloseReason;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CloseReason> {
        let me = &mut *self;
        me.line.shared.watch(&mut me.ticket, context.waker())
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.line.shared.watch_no_more(ticket);
        }
    }
}
