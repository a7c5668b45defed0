//! What a caller waits for: a reply that is on its way, and what happens if it does not wait to the end.

use super::lent::Lender;
use super::line::Line;
use super::shared::{Sent, Wait};
use super::waiting::{Key, Outcome};
use crate::client::{Outgoing, Replies};
use crate::error::CallError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The reply to a call over a live connection. Dropped before it has come, it cancels the call.
#[must_use = "a future does nothing unless it is polled"]
pub struct PeerReply {
    line: Line,
    ticket: Option<u64>,
    lender: Option<Lender>,
    state: State<Key>,
}

enum State<T> {
    /// There was no room.
    Unsent(Outgoing),
    Sent(T),
    Refused(CallError),
    Ended,
}

impl<T> State<T> {
    fn of(sent: Sent<T>) -> Self {
        match sent {
            Sent::Done(sent) => State::Sent(sent),
            Sent::Later(outgoing) => State::Unsent(outgoing),
            Sent::Refused(error) => State::Refused(error),
        }
    }
}

impl PeerReply {
    pub(super) fn of(line: Line, lender: Option<Lender>, outgoing: Outgoing) -> Self {
        if let Some(lender) = &lender {
            lender.begin();
        }
        let state = State::of(line.shared.call(outgoing, None));
        PeerReply { line, ticket: None, lender, state }
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
        if let State::Unsent(_) = me.state
            && let State::Unsent(outgoing) = std::mem::replace(&mut me.state, State::Ended)
        {
            let wait = Wait { ticket: &mut me.ticket, waker: context.waker() };
            me.state = State::of(me.line.shared.call(outgoing, Some(wait)));
        }
        let end = match &me.state {
            State::Sent(key) => match me.line.shared.outcome(key, context) {
                None => return Poll::Pending,
                Some(Outcome::Reply(text)) => Ok(text),
                Some(Outcome::Failed(error)) => Err(error),
                Some(Outcome::Refused(object)) => Err(CallError::Rpc(object)),
            },
            State::Refused(_) => match std::mem::replace(&mut me.state, State::Ended) {
                State::Refused(error) => Err(error),
                _ => return Poll::Pending,
            },
            State::Unsent(_) | State::Ended => return Poll::Pending,
        };
        me.state = State::Ended;
        me.end();
        Poll::Ready(end)
    }
}

impl Drop for PeerReply {
    fn drop(&mut self) {
        match (&self.state, self.ticket) {
            (State::Sent(key), _) => self.line.shared.give_up(key),
            (State::Unsent(_), Some(ticket)) => self.line.shared.forget_sender(ticket),
            _ => {}
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
#[must_use = "a future does nothing unless it is polled"]
pub struct PeerSent {
    line: Line,
    ticket: Option<u64>,
    state: State<()>,
}

impl PeerSent {
    pub(super) fn of(line: Line, outgoing: Outgoing) -> Self {
        let state = State::of(line.shared.notify(outgoing, None));
        PeerSent { line, ticket: None, state }
    }
}

impl Future for PeerSent {
    type Output = Result<(), CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        loop {
            me.state = match std::mem::replace(&mut me.state, State::Ended) {
                State::Sent(()) => return Poll::Ready(Ok(())),
                State::Refused(error) => return Poll::Ready(Err(error)),
                State::Ended => return Poll::Pending,
                State::Unsent(outgoing) => {
                    let wait = Wait { ticket: &mut me.ticket, waker: context.waker() };
                    match me.line.shared.notify(outgoing, Some(wait)) {
                        Sent::Later(outgoing) => {
                            me.state = State::Unsent(outgoing);
                            return Poll::Pending;
                        }
                        sent => State::of(sent),
                    }
                }
            };
        }
    }
}

impl Drop for PeerSent {
    fn drop(&mut self) {
        if let (State::Unsent(_), Some(ticket)) = (&self.state, self.ticket) {
            self.line.shared.forget_sender(ticket);
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
    calls: Vec<(Key, Option<Outcome>)>,
}

impl BatchReplies {
    pub(super) fn of(line: Line, lender: Option<Lender>, keys: Vec<Key>) -> Self {
        if let Some(lender) = &lender {
            lender.begin();
        }
        BatchReplies { line, lender, calls: keys.into_iter().map(|key| (key, None)).collect() }
    }
}

impl Future for BatchReplies {
    type Output = Replies;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let BatchReplies { line, lender, calls } = &mut *self;
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
        for (key, _) in self.calls.iter().filter(|(_, outcome)| outcome.is_none()) {
            self.line.shared.give_up(key);
        }
        if let Some(lender) = self.lender.take() {
            lender.end();
        }
    }
}
