//! The common part of the futures of calls, notifications and batches.

use super::caller::Caller;
use super::outgoing::Outgoing;
use crate::error::ClientError;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The reason for which a blocking wait fails in a method that serves a connection.
pub(super) const WAIT_WOULD_BLOCK: &str =
    "waiting would block the connection that this thread runs; use `.await`, or wait on another thread";

/// A message that was sent, or that failed before it was.
pub(super) enum SendState<F> {
    Sent(F),
    NotSent(ClientError),
    Done,
}

impl<F> SendState<F> {
    /// Sends a message, if it was encoded and `caller` supports its timeout.
    pub(super) fn send<C: Caller>(
        caller: &C,
        outgoing: serde_json::Result<Outgoing>,
        send: impl FnOnce(&C, Outgoing) -> F,
    ) -> Self {
        match outgoing {
            Ok(outgoing) if outgoing.requires_timeout() && !caller.supports_timeouts() => {
                SendState::unsupported_timeout()
            }
            Ok(outgoing) => SendState::Sent(send(caller, outgoing)),
            Err(error) => SendState::NotSent(ClientError::Encode(error)),
        }
    }

    /// Fails a message with a timeout that its caller does not support: it could wait without limit.
    pub(super) fn unsupported_timeout() -> Self {
        let reason = "the caller does not support timeouts; wrap it in `client::Timeout`, and forward \
                      `supports_timeouts` in each caller around that";
        SendState::NotSent(ClientError::Unsupported(reason.into()))
    }

    /// Resolves to the result of sending. Polled again after that, it stays pending.
    pub(super) fn poll<T>(&mut self, context: &mut Context<'_>) -> Poll<Result<T, ClientError>>
    where
        F: Future<Output = Result<T, ClientError>> + Unpin,
    {
        if let SendState::Sent(future) = self {
            let result = ready!(Pin::new(future).poll(context));
            *self = SendState::Done;
            return Poll::Ready(result);
        }
        match mem::replace(self, SendState::Done) {
            SendState::NotSent(error) => Poll::Ready(Err(error)),
            SendState::Sent(_) | SendState::Done => Poll::Pending,
        }
    }
}
