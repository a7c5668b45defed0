//! What a caller waits for: a reply that is on its way, and what happens if it does not wait to the end.

use super::blocked_handlers::BlockedHandler;
use super::call_table::{CallKey, CallOutcome};
use super::keep_alive::ConnectionHandle;
use super::shared::Submitted;
use crate::client::{BatchResponses, Outgoing};
use crate::error::CallError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The reply to a call over a live connection. Dropped before it has come, it cancels the call.
#[must_use = "what comes of it is known when it is awaited; dropped, it is given up"]
pub struct PeerResponseFuture {
    line: ConnectionHandle,
    blocked: Option<BlockedHandler>,
    state: FutureState<Submitted<CallKey>>,
}

enum FutureState<T> {
    Sent(T),
    Refused(CallError),
    Done,
}

impl<T> FutureState<T> {
    fn of(posted: Result<T, CallError>) -> Self {
        posted.map_or_else(FutureState::Refused, FutureState::Sent)
    }
}

impl PeerResponseFuture {
    pub(super) fn of(line: ConnectionHandle, blocked: Option<BlockedHandler>, outgoing: Outgoing) -> Self {
        if let Some(blocked) = &blocked {
            blocked.begin();
        }
        let state = FutureState::of(line.shared.call(outgoing));
        PeerResponseFuture { line, blocked, state }
    }

    fn end(&mut self) {
        if let Some(blocked) = self.blocked.take() {
            blocked.end();
        }
    }
}

impl Future for PeerResponseFuture {
    type Output = Result<String, CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        let end = match &me.state {
            FutureState::Sent(posted) => match me.line.shared.outcome(&posted.what, context) {
                None => return Poll::Pending,
                Some(CallOutcome::Response(text)) => Ok(text),
                Some(CallOutcome::Failed(error)) => Err(error),
                Some(CallOutcome::Refused(object)) => Err(CallError::Rpc(object)),
            },
            FutureState::Refused(_) => match std::mem::replace(&mut me.state, FutureState::Done) {
                FutureState::Refused(error) => Err(error),
                _ => return Poll::Pending,
            },
            FutureState::Done => return Poll::Pending,
        };
        me.state = FutureState::Done;
        me.end();
        Poll::Ready(end)
    }
}

impl Drop for PeerResponseFuture {
    fn drop(&mut self) {
        if let FutureState::Sent(Submitted { what, ticket }) = &self.state {
            self.line.shared.give_up([what].into_iter(), *ticket);
        }
        self.end();
    }
}

impl fmt::Debug for PeerResponseFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerReply").finish_non_exhaustive()
    }
}

/// A notification that is handed over to a live connection as soon as there is room.
#[must_use = "what comes of it is known when it is awaited; dropped, it is given up"]
pub struct PeerSendFuture {
    line: ConnectionHandle,
    state: FutureState<Submitted<()>>,
}

impl PeerSendFuture {
    pub(super) fn of(line: ConnectionHandle, outgoing: Outgoing) -> Self {
        let state = FutureState::of(line.shared.notify(outgoing));
        PeerSendFuture { line, state }
    }
}

impl Future for PeerSendFuture {
    type Output = Result<(), CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        if let FutureState::Sent(Submitted { ticket: Some(ticket), .. }) = &me.state {
            let sent = ready!(me.line.shared.sent(*ticket, context).map_or(Poll::Pending, Poll::Ready));
            me.state = FutureState::of(sent.map(|what| Submitted { what, ticket: None }));
        }
        match std::mem::replace(&mut me.state, FutureState::Done) {
            FutureState::Sent(_) => Poll::Ready(Ok(())),
            FutureState::Refused(error) => Poll::Ready(Err(error)),
            FutureState::Done => Poll::Pending,
        }
    }
}

impl Drop for PeerSendFuture {
    fn drop(&mut self) {
        if let FutureState::Sent(Submitted { ticket: Some(ticket), .. }) = &self.state {
            self.line.shared.take_back(*ticket);
        }
    }
}

impl fmt::Debug for PeerSendFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerSent").finish_non_exhaustive()
    }
}

/// The replies to a batch over a live connection.
pub(super) struct PeerBatchFuture {
    line: ConnectionHandle,
    blocked: Option<BlockedHandler>,
    ticket: Option<u64>,
    calls: Vec<(CallKey, Option<CallOutcome>)>,
}

impl PeerBatchFuture {
    pub(super) fn of(line: ConnectionHandle, blocked: Option<BlockedHandler>, posted: Submitted<Vec<CallKey>>) -> Self {
        if let Some(blocked) = &blocked {
            blocked.begin();
        }
        let Submitted { what: keys, ticket } = posted;
        PeerBatchFuture { line, blocked, ticket, calls: keys.into_iter().map(|key| (key, None)).collect() }
    }
}

impl Future for PeerBatchFuture {
    type Output = BatchResponses;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let PeerBatchFuture { line, blocked, calls, .. } = &mut *self;
        for (key, outcome) in calls.iter_mut().filter(|(_, outcome)| outcome.is_none()) {
            *outcome = line.shared.outcome(key, context);
        }
        if calls.iter().any(|(_, outcome)| outcome.is_none()) {
            return Poll::Pending;
        }
        if let Some(blocked) = blocked.take() {
            blocked.end();
        }
        let mut responses = Vec::with_capacity(calls.len());
        for (_, outcome) in calls.drain(..) {
            match outcome {
                Some(CallOutcome::Response(text)) => responses.push(Ok(text)),
                Some(CallOutcome::Failed(CallError::Closed(reason))) => {
                    return Poll::Ready(Err(CallError::Closed(reason)));
                }
                Some(CallOutcome::Failed(error)) => responses.push(Err(error)),
                Some(CallOutcome::Refused(object)) => return Poll::Ready(Err(CallError::Rpc(object))),
                None => {}
            }
        }
        Poll::Ready(Ok(responses))
    }
}

impl Drop for PeerBatchFuture {
    fn drop(&mut self) {
        let open = self.calls.iter().filter(|(_, outcome)| outcome.is_none()).map(|(key, _)| key);
        if open.clone().next().is_some() {
            self.line.shared.give_up(open, self.ticket);
        }
        if let Some(blocked) = self.blocked.take() {
            blocked.end();
        }
    }
}
