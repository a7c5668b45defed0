//! What a caller waits for: a reply that is on its way, and what happens if it does not wait to the end.

use super::lent::Lender;
use super::line::Line;
use super::shared::Posted;
use super::waiting::{Key, Outcome};
use crate::client::{Outgoing, Replies};
use crate::error::CallError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The reply to a call over a live connection. Dropped before it has come, it cancels the call.
#[must_use = "what comes of it is known when it is awaited; dropped, it is given up"]
pub struct PeerReply {
    line: Line,
    lender: Option<Lender>,
    state: State<Posted<Key>>,
}

enum State<T> {
    Sent(T),
    Refused(CallError),
    Ended,
}

impl<T> State<T> {
    fn of(posted: Result<T, CallError>) -> Self {
        posted.map_or_else(State::Refused, State::Sent)
    }
}

impl PeerReply {
    pub(super) fn of(line: Line, lender: Option<Lender>, outgoing: Outgoing) -> Self {
        if let Some(lender) = &lender {
            lender.begin();
        }
        let state = State::of(line.shared.call(outgoing));
        PeerReply { line, lender, state }
    }

    fn end(&mut self) {
        if let Some(lender) = self.lender.take() {
            lender.end();
        }
    }
}

impl Future for PeerReply {
    type Output = Result<String, CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        let end = match &me.state {
            State::Sent(posted) => match me.line.shared.outcome(&posted.what, context) {
                None => return Poll::Pending,
                Some(Outcome::Reply(text)) => Ok(text),
                Some(Outcome::Failed(error)) => Err(error),
                Some(Outcome::Refused(object)) => Err(CallError::Rpc(object)),
            },
            State::Refused(_) => match std::mem::replace(&mut me.state, State::Ended) {
                State::Refused(error) => Err(error),
                _ => return Poll::Pending,
            },
            State::Ended => return Poll::Pending,
        };
        me.state = State::Ended;
        me.end();
        Poll::Ready(end)
    }
}

impl Drop for PeerReply {
    fn drop(&mut self) {
        if let State::Sent(Posted { what, ticket }) = &self.state {
            self.line.shared.give_up([what].into_iter(), *ticket);
        }
        self.end();
    }
}

impl fmt::Debug for PeerReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerReply").finish_non_exhaustive()
    }
}

/// A notification that is handed over to a live connection as soon as there is room.
#[must_use = "what comes of it is known when it is awaited; dropped, it is given up"]
pub struct PeerSent {
    line: Line,
    state: State<Posted<()>>,
}

impl PeerSent {
    pub(super) fn of(line: Line, outgoing: Outgoing) -> Self {
        let state = State::of(line.shared.notify(outgoing));
        PeerSent { line, state }
    }
}

impl Future for PeerSent {
    type Output = Result<(), CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        if let State::Sent(Posted { ticket: Some(ticket), .. }) = &me.state {
            let sent = ready!(me.line.shared.sent(*ticket, context).map_or(Poll::Pending, Poll::Ready));
            me.state = State::of(sent.map(|what| Posted { what, ticket: None }));
        }
        match std::mem::replace(&mut me.state, State::Ended) {
            State::Sent(_) => Poll::Ready(Ok(())),
            State::Refused(error) => Poll::Ready(Err(error)),
            State::Ended => Poll::Pending,
        }
    }
}

impl Drop for PeerSent {
    fn drop(&mut self) {
        if let State::Sent(Posted { ticket: Some(ticket), .. }) = &self.state {
            self.line.shared.take_back(*ticket);
        }
    }
}

impl fmt::Debug for PeerSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerSent").finish_non_exhaustive()
    }
}

/// The replies to a batch over a live connection.
pub(super) struct BatchReplies {
    line: Line,
    lender: Option<Lender>,
    ticket: Option<u64>,
    calls: Vec<(Key, Option<Outcome>)>,
}

impl BatchReplies {
    pub(super) fn of(line: Line, lender: Option<Lender>, posted: Posted<Vec<Key>>) -> Self {
        if let Some(lender) = &lender {
            lender.begin();
        }
        let Posted { what: keys, ticket } = posted;
        BatchReplies { line, lender, ticket, calls: keys.into_iter().map(|key| (key, None)).collect() }
    }
}

impl Future for BatchReplies {
    type Output = Replies;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let BatchReplies { line, lender, calls, .. } = &mut *self;
        for (key, outcome) in calls.iter_mut().filter(|(_, outcome)| outcome.is_none()) {
            *outcome = line.shared.outcome(key, context);
        }
        if calls.iter().any(|(_, outcome)| outcome.is_none()) {
            return Poll::Pending;
        }
        if let Some(lender) = lender.take() {
            lender.end();
        }
        let mut replies = Vec::with_capacity(calls.len());
        for (_, outcome) in calls.drain(..) {
            match outcome {
                Some(Outcome::Reply(text)) => replies.push(Ok(text)),
                Some(Outcome::Failed(CallError::Closed(reason))) => return Poll::Ready(Err(CallError::Closed(reason))),
                Some(Outcome::Failed(error)) => replies.push(Err(error)),
                Some(Outcome::Refused(object)) => return Poll::Ready(Err(CallError::Rpc(object))),
                None => {}
            }
        }
        Poll::Ready(Ok(replies))
    }
}

impl Drop for BatchReplies {
    fn drop(&mut self) {
        let open = self.calls.iter().filter(|(_, outcome)| outcome.is_none()).map(|(key, _)| key);
        if open.clone().next().is_some() {
            self.line.shared.give_up(open, self.ticket);
        }
        if let Some(lender) = self.lender.take() {
            lender.end();
        }
    }
}
