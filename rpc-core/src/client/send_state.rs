//! The state of a sent message: the common part of the futures of calls.

use super::caller::Caller;
use super::outgoing::Outgoing;
use crate::error::ClientError;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The error of a blocking wait on the thread that runs the connection.
pub(super) const WAITS_FOR_ITSELF: &str =
    "a blocking wait here would block the connection itself; await the call, or wait on another thread";

/// The future of a sent message, or the error of one that was not sent.
pub(super) enum SendState<F> {
    Sent(F),
    Failed(Option<ClientError>),
}

impl<F> SendState<F> {
    /// Sends a message, unless its encoding failed or the caller does not support its timeout.
    pub(super) fn new<C: Caller>(
        caller: &C,
        outgoing: serde_json::Result<Outgoing>,
        send: impl FnOnce(&C, Outgoing) -> F,
    ) -> Self {
        match outgoing {
            Ok(outgoing) if outgoing.requires_timeout() && !caller.supports_timeouts() => {
                SendState::unsupported_timeout()
            }
            Ok(outgoing) => SendState::Sent(send(caller, outgoing)),
            Err(error) => SendState::Failed(Some(ClientError::Encode(error))),
        }
    }

    /// Returns the error of a timeout that the caller does not support: the call could wait for ever.
    pub(super) fn unsupported_timeout() -> Self {
        let reason = "the caller does not support timeouts; wrap it in `client::Timeout`, and forward \
                      `supports_timeouts` in callers around that";
        SendState::Failed(Some(ClientError::Unsupported(reason.into())))
    }

    pub(super) fn poll<T>(&mut self, context: &mut Context<'_>) -> Poll<Result<T, ClientError>>
    where
        F: Future<Output = Result<T, ClientError>> + Unpin,
    {
        let outcome = match self {
            SendState::Sent(future) => ready!(Pin::new(future).poll(context)),
            SendState::Failed(error) => match error.take() {
                Some(error) => Err(error),
                // Polled again after it was ready.
                None => return Poll::Pending,
            },
        };
        *self = SendState::Failed(None);
        Poll::Ready(outcome)
    }
}
