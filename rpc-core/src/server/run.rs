//! One call, run to its answer: by the method, or in its place when it panics.

#![allow(
    clippy::box_collection,
    clippy::unnecessary_box_returns,
    reason = "a buffer is boxed: a vector that was just written to is slow to move"
)]

use super::call_context::BoxedExtras;
use super::context::{CallHead, Context};
use super::engine::Engine;
use super::panic::{detail, discard, forget};
use super::responder::{Responded, Responder, ResponseBuffer};
use super::scope::RunningHandler;
use super::service::Service;
use crate::observe::{Cause, Event};
use crate::wire::{ErrorObject, write_error};
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{self, Poll};

/// How a call ended: answered, or without an answer of its own.
pub(super) type CallEnd = Result<Responded, Aborted>;

/// Why a call gave no answer itself. One pointer, so that an end is small enough to be handed on in registers.
pub(super) struct Aborted(Box<AbortReason>);

enum AbortReason {
    Panicked(Box<dyn Any + Send>),
    /// The other side gave it up.
    Cancelled,
    /// Its time is over.
    TimedOut,
}

/// Polls a call; a panic is its end.
#[inline]
pub(super) fn poll(
    mut run: Pin<&mut Option<impl Future<Output = Responded>>>,
    context: &mut task::Context<'_>,
) -> Poll<CallEnd> {
    let Some(future) = run.as_mut().as_pin_mut() else {
        return Poll::Pending;
    };
    match catch_unwind(AssertUnwindSafe(|| future.poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(payload) => {
            discard_pinned(run);
            Poll::Ready(Err(Aborted(Box::new(AbortReason::Panicked(payload)))))
        }
    }
}

/// Polls a call that did not end at once, until it ends or is given up: by the other side, or when its time is over.
pub(super) async fn until_end<S: Service>(
    engine: Engine<'_, S>,
    head: &CallHead<'_>,
    mut run: Pin<&mut Option<impl Future<Output = Responded>>>,
) -> CallEnd {
    // Notifications have no id to be given up under.
    let watch = engine.call_context.scope.zip(head.id()).map(|(scope, id)| scope.watch(id));
    let time = caught(|| engine.call_context.config.time_of(head.method()));
    if watch.is_none() && matches!(time, Ok(None)) {
        return poll_fn(|task| poll(run.as_mut(), task)).await;
    }
    let mut time = match time {
        Ok(time) => time,
        Err(end) => {
            discard_pinned(run);
            return Err(end);
        }
    };
    let end = poll_fn(|task| {
        let is_cancelled = watch.as_ref().is_some_and(|watch| watch.poll_cancelled(task.waker()));
        // It may see that it was given up, and still answer; what is there in time counts.
        let end = match poll(run.as_mut(), task) {
            Poll::Ready(end) => return Poll::Ready(end),
            Poll::Pending if is_cancelled => Aborted(Box::new(AbortReason::Cancelled)),
            Poll::Pending => {
                let Some(time) = &mut time else { return Poll::Pending };
                match caught(|| time.as_mut().poll(task)) {
                    Ok(Poll::Pending) => return Poll::Pending,
                    Ok(Poll::Ready(())) => Aborted(Box::new(AbortReason::TimedOut)),
                    Err(end) => end,
                }
            }
        };
        discard_pinned(run.as_mut());
        Poll::Ready(Err(end))
    })
    .await;
    if time.is_some() {
        discard(time);
    }
    end
}

/// Asks the timer, which is its user's: a panic there costs this call only.
fn caught<T>(ask: impl FnOnce() -> T) -> Result<T, Aborted> {
    catch_unwind(AssertUnwindSafe(ask)).map_err(|payload| Aborted(Box::new(AbortReason::Panicked(payload))))
}

/// Drops a future whose destructors may panic.
#[cold]
fn discard_pinned<F>(mut run: Pin<&mut Option<F>>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| run.set(None))) {
        forget(payload);
    }
}

/// Appends what a call is answered with that gave no answer itself.
#[cold]
pub(super) fn write_abort_response<S: Service>(
    engine: Engine<'_, S>,
    head: &CallHead<'_>,
    end: Aborted,
    out: &mut Vec<u8>,
) {
    match *end.0 {
        AbortReason::Panicked(payload) => write_panic_response(engine, head, payload, out),
        AbortReason::TimedOut => {
            write_error_response(engine, head, &ErrorObject::new(ErrorObject::SERVER_ERROR, "Timed out"), out);
        }
        AbortReason::Cancelled => {
            if let (Some(id), Some(error)) = (head.id(), engine.call_context.config.profile.cancelled_error()) {
                write_error(out, id.as_token(), &error);
            }
        }
    }
}

/// Appends what a call is answered with that panicked.
#[cold]
fn write_panic_response<S: Service>(
    engine: Engine<'_, S>,
    head: &CallHead<'_>,
    payload: Box<dyn Any + Send>,
    out: &mut Vec<u8>,
) {
    let (method, id, detail) = (head.method(), head.id(), &*detail(&*payload));
    engine.observe(&Event::InternalFailure { method, id, cause: Cause::Panic, detail });
    forget(payload);
    write_error_response(engine, head, &ErrorObject::internal_error(), out);
}

/// Appends an error, or shows it where none is owed.
fn write_error_response<S: Service>(
    engine: Engine<'_, S>,
    head: &CallHead<'_>,
    error: &ErrorObject,
    out: &mut Vec<u8>,
) {
    match head.id() {
        Some(id) => write_error(out, id.as_token(), error),
        None => engine.observe(&Event::NoResponse { method: Some(head.method()), error: Some(error) }),
    }
}

/// The answer of a call whose reply owned its sink; empty when none is owed.
#[inline]
pub(super) fn owned_response<S: Service>(engine: Engine<'_, S>, head: &CallHead<'_>, end: CallEnd) -> Box<Vec<u8>> {
    match end {
        Ok(answered) => answered.into_own().unwrap_or_default(),
        Err(end) => {
            let mut response = Box::default();
            write_abort_response(engine, head, end, &mut response);
            response
        }
    }
}

/// Runs a call to its end, and gives its answer; empty when none is owed.
#[inline]
pub(super) async fn run_call<'a, S: Service>(
    engine: Engine<'a, S>,
    call: S::Call<'a>,
    head: &CallHead<'a>,
    extras: BoxedExtras<'a>,
    buffer: Box<Vec<u8>>,
) -> Box<Vec<u8>> {
    let handler = RunningHandler::start(engine.call_context.scope);
    let responder =
        Responder::new(ResponseBuffer::Owned(buffer), Context::of(head, engine.call_context, &handler, extras));
    let mut run = pin!(Some(engine.service.run(call, responder)));
    let end = match poll_fn(|task| Poll::Ready(poll(run.as_mut(), task))).await {
        Poll::Ready(end) => end,
        Poll::Pending => until_end(engine, head, run).await,
    };
    owned_response(engine, head, end)
}
