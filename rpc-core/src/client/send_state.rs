//! What has been sent, or never will be: the common part of the futures of calls.

use super::caller::Caller;
use super::outgoing::Outgoing;
use crate::error::ClientError;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// Why a blocking wait is refused.
pub(super) const WAITS_FOR_ITSELF: &str =
    "to wait here would keep a connection from being served: await the call, or wait for it on another thread";

/// Sent, or refused before.
pub(super) enum SendState<F> {
    Sent(F),
    Refused(Option<ClientError>),
}

impl<F> SendState<F> {
    /// Sends what could be written.
    pub(super) fn of<C: Caller>(
        caller: &C,
        outgoing: serde_json::Result<Outgoing>,
        send: impl FnOnce(&C, Outgoing) -> F,
    ) -> Self {
        match outgoing {
            Ok(outgoing) if outgoing.requires_timeout() && !caller.supports_timeouts() => SendState::timeless(),
            Ok(outgoing) => SendState::Sent(send(caller, outgoing)),
            Err(error) => SendState::Refused(Some(ClientError::Encode(error))),
        }
    }

    /// A timeout that nobody would keep is no call at all: it could wait for ever.
    pub(super) fn timeless() -> Self {
        let reason = "its caller keeps no time: a timeout needs `client::Timed` around it, and a caller around \
                      that must forward `keeps_time`";
        SendState::Refused(Some(ClientError::Unsupported(reason.into())))
    }

    pub(super) fn poll<T>(&mut self, context: &mut Context<'_>) -> Poll<Result<T, ClientError>>
    where
        F: Future<Output = Result<T, ClientError>> + Unpin,
    {
        let end = match self {
            SendState::Sent(future) => ready!(Pin::new(future).poll(context)),
            SendState::Refused(error) => match error.take() {
                Some(error) => Err(error),
                // Polled again after its end, which no executor does.
                None => return Poll::Pending,
            },
        };
        *self = SendState::Refused(None);
        Poll::Ready(end)
    }
}
