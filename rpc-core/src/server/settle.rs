//! One call, run to its answer: by the method, or in its place when it panics.

use super::context::Context;
use super::judge::Started;
use super::local::LocalService;
use super::reply::{Answered, Reply};
use crate::wire::{ErrorObject, write_error};
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Runs a call and gives the buffer back with the answer in it: empty when nothing is owed.
pub(super) async fn settle<'a, S: LocalService>(service: &'a S, started: Started<'a, S>, buffer: Vec<u8>) -> Vec<u8> {
    let Started { call, method, id } = started;
    let on_panic = id.clone();
    let reply = Reply::new(buffer, Context::new(method, id));
    let answered = match catch_unwind(AssertUnwindSafe(|| service.run(call, reply))) {
        Ok(run) => caught(run).await,
        Err(payload) => {
            std::mem::forget(payload);
            None
        }
    };
    match (answered, on_panic) {
        (Some(answered), _) => answered.into_buffer(),
        (None, None) => Vec::new(),
        (None, Some(id)) => {
            let mut buffer = Vec::new();
            write_error(&mut buffer, id.as_token(), &ErrorObject::internal_error());
            buffer
        }
    }
}

/// `None` when the future panicked, while it ran or when it was dropped after that.
async fn caught(run: impl Future<Output = Answered>) -> Option<Answered> {
    let mut run = pin!(Some(run));
    poll_fn(|context| {
        let Some(future) = run.as_mut().as_pin_mut() else {
            return Poll::Ready(None);
        };
        match catch_unwind(AssertUnwindSafe(|| future.poll(context))) {
            Ok(poll) => poll.map(Some),
            Err(payload) => {
                // The payload, and what is left of the future, may panic when they are dropped.
                std::mem::forget(payload);
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| run.set(None))) {
                    std::mem::forget(payload);
                }
                Poll::Ready(None)
            }
        }
    })
    .await
}
