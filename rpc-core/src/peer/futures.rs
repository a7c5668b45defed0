//! The futures of messages to a peer. Dropping one cancels what it waits for.

use super::blocked_handlers::BlockedHandler;
use super::call_table::{CallKey, CallOutcome};
use super::keep_alive::ConnectionRef;
use super::shared::Submitted;
use crate::client::{BatchResponses, Outgoing, OutgoingBatch};
use crate::error::ClientError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Resolves to the response to a call over a live connection. Dropped before that, it cancels the call.
#[must_use = "futures do nothing unless awaited; dropping this one cancels the call"]
pub struct PeerResponseFuture {
    connection: ConnectionRef,
    handler: Option<BlockedHandler>,
    state: FutureState<CallKey>,
}

enum FutureState<T> {
    Submitted(Submitted<T>),
    Failed(ClientError),
    Done,
}

impl<T> FutureState<T> {
    fn new(submitted: Result<Submitted<T>, ClientError>) -> Self {
        submitted.map_or_else(FutureState::Failed, FutureState::Submitted)
    }
}

impl PeerResponseFuture {
    pub(super) fn new(connection: ConnectionRef, handler: Option<BlockedHandler>, outgoing: Outgoing) -> Self {
        if let Some(handler) = &handler {
            handler.start_call();
        }
        let state = FutureState::new(connection.shared.call(outgoing));
        PeerResponseFuture { connection, handler, state }
    }

    /// Ends the call: cancels it, if its response has not arrived.
    fn end(&mut self) {
        if let FutureState::Submitted(Submitted { item, ticket }) =
            std::mem::replace(&mut self.state, FutureState::Done)
        {
            self.connection.shared.cancel(std::iter::once(&item), ticket);
        }
        if let Some(handler) = self.handler.take() {
            handler.end_call();
        }
    }
}

impl Future for PeerResponseFuture {
    type Output = Result<String, ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let FutureState::Submitted(submitted) = &this.state else {
            return match std::mem::replace(&mut this.state, FutureState::Done) {
                FutureState::Failed(error) => {
                    this.end();
                    Poll::Ready(Err(error))
                }
                _ => Poll::Pending,
            };
        };
        let result = match this.connection.shared.poll_outcome(&submitted.item, context) {
            Some(CallOutcome::Response(text)) => Ok(text),
            Some(CallOutcome::Failed(error)) => Err(error),
            Some(CallOutcome::BatchRejected(object)) => Err(ClientError::Rpc(object)),
            None => return Poll::Pending,
        };
        this.state = FutureState::Done;
        this.end();
        Poll::Ready(result)
    }
}

impl Drop for PeerResponseFuture {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for PeerResponseFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerResponseFuture").finish_non_exhaustive()
    }
}

/// Resolves when a notification has been handed to a live connection, which is as soon as its output has room.
#[must_use = "futures do nothing unless awaited; dropping this one may keep the notification from being sent"]
pub struct PeerSendFuture {
    connection: ConnectionRef,
    state: FutureState<()>,
}

impl PeerSendFuture {
    pub(super) fn new(connection: ConnectionRef, outgoing: Outgoing) -> Self {
        let state = FutureState::new(connection.shared.notify(outgoing));
        PeerSendFuture { connection, state }
    }

    /// Returns whether the notification waits for room.
    pub(super) fn is_queued(&self) -> bool {
        matches!(&self.state, FutureState::Submitted(Submitted { ticket: Some(_), .. }))
    }

    /// Withdraws the notification, if it has not been sent.
    fn withdraw(&mut self) {
        if let FutureState::Submitted(Submitted { ticket: Some(ticket), .. }) = &self.state {
            self.connection.shared.withdraw(*ticket);
        }
        self.state = FutureState::Done;
    }
}

impl Future for PeerSendFuture {
    type Output = Result<(), ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if let FutureState::Submitted(Submitted { ticket: Some(ticket), .. }) = &this.state {
            match this.connection.shared.poll_sent(*ticket, context) {
                Some(sent) => this.state = FutureState::new(sent.map(|item| Submitted { item, ticket: None })),
                None => return Poll::Pending,
            }
        }
        match std::mem::replace(&mut this.state, FutureState::Done) {
            FutureState::Submitted(_) => Poll::Ready(Ok(())),
            FutureState::Failed(error) => Poll::Ready(Err(error)),
            FutureState::Done => Poll::Pending,
        }
    }
}

impl Drop for PeerSendFuture {
    fn drop(&mut self) {
        self.withdraw();
    }
}

impl fmt::Debug for PeerSendFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerSendFuture").finish_non_exhaustive()
    }
}

/// Resolves to the responses to a batch over a live connection.
pub(super) struct PeerBatchFuture {
    connection: ConnectionRef,
    handler: Option<BlockedHandler>,
    ticket: Option<u64>,
    calls: Vec<(CallKey, Option<CallOutcome>)>,
}

impl PeerBatchFuture {
    pub(super) fn new(
        connection: ConnectionRef,
        handler: Option<BlockedHandler>,
        batch: OutgoingBatch,
    ) -> Result<Self, ClientError> {
        let Submitted { item: keys, ticket } = connection.shared.batch(batch)?;
        if let Some(handler) = &handler {
            handler.start_call();
        }
        let calls = keys.into_iter().map(|key| (key, None)).collect();
        Ok(PeerBatchFuture { connection, handler, ticket, calls })
    }

    /// Ends the batch: cancels the calls whose responses have not arrived.
    fn end(&mut self) {
        let pending = self.calls.iter().filter(|(_, outcome)| outcome.is_none()).map(|(key, _)| key);
        if pending.clone().next().is_some() {
            self.connection.shared.cancel(pending, self.ticket);
        }
        self.calls.clear();
        if let Some(handler) = self.handler.take() {
            handler.end_call();
        }
    }
}

impl Future for PeerBatchFuture {
    type Output = BatchResponses;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        for (key, outcome) in this.calls.iter_mut().filter(|(_, outcome)| outcome.is_none()) {
            *outcome = this.connection.shared.poll_outcome(key, context);
        }
        if this.calls.iter().any(|(_, outcome)| outcome.is_none()) {
            return Poll::Pending;
        }
        let outcomes = std::mem::take(&mut this.calls);
        this.end();
        let mut responses = Vec::with_capacity(outcomes.len());
        for (_, outcome) in outcomes {
            match outcome {
                Some(CallOutcome::Response(text)) => responses.push(Ok(text)),
                Some(CallOutcome::Failed(error @ ClientError::Closed(_))) => return Poll::Ready(Err(error)),
                Some(CallOutcome::Failed(error)) => responses.push(Err(error)),
                Some(CallOutcome::BatchRejected(object)) => return Poll::Ready(Err(ClientError::Rpc(object))),
                None => {}
            }
        }
        Poll::Ready(Ok(responses))
    }
}

impl Drop for PeerBatchFuture {
    fn drop(&mut self) {
        self.end();
    }
}
