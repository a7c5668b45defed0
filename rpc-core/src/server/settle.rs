//! One call, run to its answer: by the method, or in its place when it panics.

use super::context::Context;
use super::desk::Desk;
use super::local::LocalService;
use super::panic::{detail, forget};
use super::reply::{Answered, Reply};
use crate::observe::{Cause, Event};
use crate::wire::{ErrorObject, Id, write_error};
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{self, Poll};

/// What is known of a call apart from its running: what it is owed, whatever becomes of it.
pub(super) struct Owed<'a> {
    id: Option<Id<'a>>,
    /// Kept only for somebody who watches.
    method: Option<String>,
}

/// How a call ended: answered, or with what it panicked with.
pub(super) type End = Result<Answered, Box<dyn Any + Send>>;

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
            Poll::Ready(Err(payload))
        }
    }
}

impl<'a> Owed<'a> {
    /// What a call of this context is owed.
    #[inline]
    pub(super) fn of<S: LocalService>(desk: Desk<'_, S>, context: &Context<'a>) -> Self {
        Owed { id: context.id().cloned(), method: desk.observer.map(|_| context.method().to_owned()) }
    }

    /// The id of the answer that is owed.
    pub(super) fn id(&self) -> Option<&Id<'a>> {
        self.id.as_ref()
    }

    /// The buffer with the answer in it: empty when nothing is owed.
    #[inline]
    pub(super) fn settle<S: LocalService>(&self, desk: Desk<'_, S>, end: End) -> Vec<u8> {
        match end {
            Ok(answered) => answered.into_buffer(),
            Err(payload) => self.answer_panic(desk, payload),
        }
    }

    #[cold]
    fn answer_panic<S: LocalService>(&self, desk: Desk<'_, S>, payload: Box<dyn Any + Send>) -> Vec<u8> {
        let method = self.method.as_deref();
        let (id, detail) = (self.id.as_ref(), &*detail(&*payload));
        desk.observe(&Event::Concealed { method: method.unwrap_or_default(), id, cause: Cause::Panic, detail });
        forget(payload);
        let (mut buffer, error) = (Vec::new(), ErrorObject::internal_error());
        match id {
            Some(id) => write_error(&mut buffer, id.as_token(), &error),
            None => desk.observe(&Event::Silent { method, error: Some(&error) }),
        }
        buffer
    }
}

/// Runs a call to its end, and gives the buffer back.
#[inline]
pub(super) async fn settle<'a, S: LocalService>(
    desk: Desk<'a, S>,
    call: S::Call<'a>,
    context: Context<'a>,
    buffer: Vec<u8>,
) -> Vec<u8> {
    let owed = Owed::of(desk, &context);
    let mut run = pin!(Some(desk.service.run(call, Reply::new(buffer, context, desk.observer))));
    let end = poll_fn(|context| poll(run.as_mut(), context)).await;
    owed.settle(desk, end)
}
