//! The run of one call, up to the response of its method, or to a panic, a cancel or a timeout.

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
use crate::observe::{Cause, EventKind};
use crate::wire::{ErrorObject, write_error};
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{self, Poll};

/// The end of a call: its own response, or an abort.
pub(super) type CallEnd = Result<Responded, Aborted>;

/// The cause of a call's abort, boxed so that a [`CallEnd`] fits in registers.
pub(super) struct Aborted(Box<AbortReason>);

enum AbortReason {
    Panicked(Box<dyn Any + Send>),
    /// The peer cancelled the call.
    Cancelled,
    /// The `timeout` option of the method elapsed.
    TimedOut,
}

/// Polls a call. A panic aborts it.
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

/// Runs a call that was pending at its first poll until it ends, is cancelled or times out.
pub(super) async fn run_to_end<S: Service>(
    engine: Engine<'_, S>,
    head: &CallHead<'_>,
    mut run: Pin<&mut Option<impl Future<Output = Responded>>>,
) -> CallEnd {
    // A notification cannot be cancelled: it has no id.
    let watch = engine.call_context.scope.zip(head.id()).map(|(scope, id)| scope.watch(id));
    let timeout = catch_timer_panic(|| engine.call_context.config.start_timeout(head.method()));
    if watch.is_none() && matches!(timeout, Ok(None)) {
        return poll_fn(|task| poll(run.as_mut(), task)).await;
    }
    let mut timeout = match timeout {
        Ok(timeout) => timeout,
        Err(aborted) => {
            discard_pinned(run);
            return Err(aborted);
        }
    };
    let end = poll_fn(|task| {
        let is_cancelled = watch.as_ref().is_some_and(|watch| watch.poll_cancelled(task.waker()));
        // A handler that sees the cancel may still respond, and its response counts.
        let aborted = match poll(run.as_mut(), task) {
            Poll::Ready(end) => return Poll::Ready(end),
            Poll::Pending if is_cancelled => Aborted(Box::new(AbortReason::Cancelled)),
            Poll::Pending => {
                let Some(timeout) = &mut timeout else { return Poll::Pending };
                match catch_timer_panic(|| timeout.as_mut().poll(task)) {
                    Ok(Poll::Pending) => return Poll::Pending,
                    Ok(Poll::Ready(())) => Aborted(Box::new(AbortReason::TimedOut)),
                    Err(aborted) => aborted,
                }
            }
        };
        discard_pinned(run.as_mut());
        Poll::Ready(Err(aborted))
    })
    .await;
    if timeout.is_some() {
        discard(timeout);
    }
    end
}

/// Runs code of the user's timer. A panic there aborts this call only.
fn catch_timer_panic<T>(run: impl FnOnce() -> T) -> Result<T, Aborted> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| Aborted(Box::new(AbortReason::Panicked(payload))))
}

/// Drops a future whose drop may panic.
#[cold]
fn discard_pinned<F>(mut run: Pin<&mut Option<F>>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| run.set(None))) {
        forget(payload);
    }
}

/// Appends the response of an aborted call.
#[cold]
pub(super) fn write_abort_response<S: Service>(
    engine: Engine<'_, S>,
    head: &CallHead<'_>,
    aborted: Aborted,
    out: &mut Vec<u8>,
) {
    match *aborted.0 {
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

#[cold]
fn write_panic_response<S: Service>(
    engine: Engine<'_, S>,
    head: &CallHead<'_>,
    payload: Box<dyn Any + Send>,
    out: &mut Vec<u8>,
) {
    let (method, id, detail) = (head.method(), head.id(), &*detail(&*payload));
    engine.observe(EventKind::InternalFailure { method, id, cause: Cause::Panic, detail });
    forget(payload);
    write_error_response(engine, head, &ErrorObject::internal_error(), out);
}

/// Appends an error response. For a notification, shows the error to the observer instead.
fn write_error_response<S: Service>(
    engine: Engine<'_, S>,
    head: &CallHead<'_>,
    error: &ErrorObject,
    out: &mut Vec<u8>,
) {
    match head.id() {
        Some(id) => write_error(out, id.as_token(), error),
        None => engine.observe(EventKind::NoResponse { method: Some(head.method()), error: Some(error) }),
    }
}

/// Returns the response of a call whose responder owned its buffer. A notification has an empty one.
#[inline]
pub(super) fn owned_response<S: Service>(engine: Engine<'_, S>, head: &CallHead<'_>, end: CallEnd) -> Box<Vec<u8>> {
    match end {
        Ok(responded) => responded.into_buffer().unwrap_or_default(),
        Err(aborted) => {
            let mut response = Box::default();
            write_abort_response(engine, head, aborted, &mut response);
            response
        }
    }
}

/// Runs a call to its end, and returns its response. A notification has an empty one.
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
        Responder::new(ResponseBuffer::Owned(buffer), Context::new(head, engine.call_context, &handler, extras));
    let mut run = pin!(Some(engine.service.run(call, responder)));
    let end = match poll_fn(|task| Poll::Ready(poll(run.as_mut(), task))).await {
        Poll::Ready(end) => end,
        Poll::Pending => run_to_end(engine, head, run).await,
    };
    owned_response(engine, head, end)
}
