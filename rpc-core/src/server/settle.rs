//! One call, run to its answer: by the method, or in its place when it panics.

#![allow(
    clippy::box_collection,
    clippy::unnecessary_box_returns,
    reason = "a buffer is boxed: a vector that was just written to is slow to move"
)]

use super::context::Context;
use super::desk::Desk;
use super::local::LocalService;
use super::panic::{detail, forget};
use super::reply::{Answered, Reply, Sink};
use crate::observe::{Cause, Event};
use crate::wire::{ErrorObject, write_error};
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{self, Poll};

/// How a call ended: answered, or with what it panicked with. The outer box makes it small enough to
/// be handed on in registers.
pub(super) type End = Result<Answered, Box<Box<dyn Any + Send>>>;

/// Polls a call; a panic is its end.
#[inline]
pub(super) fn poll(
    mut run: Pin<&mut Option<impl Future<Output = Answered>>>,
    context: &mut task::Context<'_>,
) -> Poll<End> {
    let Some(future) = run.as_mut().as_pin_mut() else {
        return Poll::Pending;
    };
    match catch_unwind(AssertUnwindSafe(|| future.poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(payload) => {
            // What is left of the future may panic when it is dropped.
            if let Err(second) = catch_unwind(AssertUnwindSafe(|| run.set(None))) {
                forget(second);
            }
            Poll::Ready(Err(Box::new(payload)))
        }
    }
}

/// Appends what a call is answered with that panicked.
#[cold]
pub(super) fn answer_panic<S: LocalService>(
    desk: Desk<'_, S>,
    context: &Context<'_>,
    payload: Box<dyn Any + Send>,
    out: &mut Vec<u8>,
) {
    let (method, id, detail) = (context.method(), context.id(), &*detail(&*payload));
    desk.observe(&Event::Concealed { method, id, cause: Cause::Panic, detail });
    forget(payload);
    let error = ErrorObject::internal_error();
    match id {
        Some(id) => write_error(out, id.as_token(), &error),
        None => desk.observe(&Event::Silent { method: Some(method), error: Some(&error) }),
    }
}

/// The answer of a call whose reply owned its sink; empty when none is owed.
#[inline]
pub(super) fn own_answer<S: LocalService>(desk: Desk<'_, S>, context: &Context<'_>, end: End) -> Box<Vec<u8>> {
    match end {
        Ok(answered) => answered.into_own().unwrap_or_default(),
        Err(payload) => {
            let mut answer = Box::default();
            answer_panic(desk, context, *payload, &mut answer);
            answer
        }
    }
}

/// Runs a call to its end, and gives its answer; empty when none is owed.
#[inline]
pub(super) async fn settle<'a, S: LocalService>(
    desk: Desk<'a, S>,
    call: S::Call<'a>,
    context: &Context<'a>,
    buffer: Box<Vec<u8>>,
) -> Box<Vec<u8>> {
    let reply = Reply::new(Sink::Own(buffer), context.clone(), desk.observer);
    let mut run = pin!(Some(desk.service.run(call, reply)));
    let end = poll_fn(|context| poll(run.as_mut(), context)).await;
    own_answer(desk, context, end)
}
