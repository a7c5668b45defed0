//! Batches (§6): the members start in order and run concurrently; their responses have the same order.

#![allow(
    clippy::box_collection,
    clippy::unnecessary_box_returns,
    reason = "a buffer is boxed: a vector that was just written to is slow to move"
)]

use super::batch_info::BatchInfo;
use super::batch_writer::BatchWriter;
use super::classify::{Action, FastResult, ParsedRequest, write_rejection};
use super::context::{CallHead, Context};
use super::engine::Engine;
use super::panic::{detail, discard, forget};
use super::responder::{Responder, ResponseBuffer};
use super::run::{self, owned_response, run_call};
use super::scope::RunningHandler;
use super::service::Service;
use super::slots::Slots;
use crate::depth::is_deeper;
use crate::observe::{Cause, EventKind};
use crate::wire::cursor::Cursor;
use crate::wire::{ErrorObject, Message, Reason, batch_members};
use serde_json::value::RawValue;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::slice::IterMut;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

/// The buffers of finished batches, reused by later ones.
pub(super) struct ScratchPool<S: Service>(Mutex<Vec<Scratch<'static, S>>>);

struct Scratch<'de, S: Service> {
    members: Vec<ParsedRequest<'de, S>>,
    buffer: ReusableBuffer,
}

/// The most buffers that a pool holds, and the most bytes that each may have.
const MAX_POOLED: usize = 8;
const MAX_POOLED_BYTES: usize = 256 << 10;

impl<S: Service> ScratchPool<S> {
    pub(super) fn new() -> Self {
        ScratchPool(Mutex::new(Vec::new()))
    }

    fn take<'de>(&self) -> Scratch<'de, S> {
        let pooled = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        pooled.map_or_else(Scratch::new, Scratch::into_empty)
    }

    fn put_back(&self, scratch: Scratch<'_, S>) {
        let bytes = scratch.buffer.capacity() + scratch.members.capacity() * size_of::<ParsedRequest<'_, S>>();
        if bytes <= MAX_POOLED_BYTES {
            let scratch = scratch.into_empty();
            let mut pooled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if pooled.len() < MAX_POOLED {
                pooled.push(scratch);
            }
        }
    }
}

impl<S: Service> Scratch<'_, S> {
    fn new() -> Self {
        Scratch { members: Vec::new(), buffer: ReusableBuffer::default() }
    }

    /// Returns the same allocations for members that borrow from another message. A vector that is collected
    /// from its own iterator reuses its allocation.
    fn into_empty<'to>(mut self) -> Scratch<'to, S> {
        self.members.clear();
        let members = self.members.into_iter().map_while(|_| None).collect();
        Scratch { members, buffer: self.buffer }
    }
}

/// Handles a batch, and appends its response to `out`. Returns false if it gets no response.
pub(super) async fn handle<'de, S: Service>(
    engine: Engine<'de, S>,
    scratch_pool: &ScratchPool<S>,
    text: &'de str,
    out: &mut Vec<u8>,
) -> bool {
    let mut scratch = scratch_pool.take();
    let members = if engine.call_context.observer.is_none() {
        read_fast(engine, text, &mut scratch.members).ok_or_else(|| rejection_reason(engine, text))
    } else {
        read_strict(engine, text, &mut scratch.members)
    };
    let admitted = match members {
        Ok(members) => admit(engine, &scratch.members[..members]),
        Err(reason) => Err(Rejection::Invalid(reason)),
    };
    if let Err(rejection) = admitted {
        scratch.members.drain(..).for_each(discard);
        return match rejection {
            Rejection::Invalid(reason) => engine.reject_batch(out, text, reason),
            Rejection::ByService(error) => engine.reject_with_error(out, &error),
        };
    }
    let has_response = run(engine, &mut scratch, out).await;
    scratch_pool.put_back(scratch);
    has_response
}

/// The cause for which no member of a batch runs.
enum Rejection {
    Invalid(Reason),
    /// [`Service::batch`] returned this error.
    ByService(ErrorObject),
}

/// Shows the batch to [`Service::batch`]. A panic there rejects the batch.
#[inline]
fn admit<S: Service>(engine: Engine<'_, S>, members: &[ParsedRequest<'_, S>]) -> Result<(), Rejection> {
    let count = || {
        let run = members.iter().filter(|member| member.action == Action::Run);
        let calls = run.clone().filter(|member| member.head.id().is_some()).count();
        (calls, run.count() - calls)
    };
    let info = BatchInfo::new(members.len(), &count, engine.call_context);
    match catch_unwind(AssertUnwindSafe(|| engine.service.batch(&info))) {
        Ok(admitted) => admitted.map_err(Rejection::ByService),
        Err(payload) => {
            let detail = &*detail(&*payload);
            engine.observe(EventKind::InternalFailure { method: "", id: None, cause: Cause::Panic, detail });
            forget(payload);
            Err(Rejection::ByService(ErrorObject::internal_error()))
        }
    }
}

/// Classifies each member as it is read, and returns their number. Returns `None` if the batch is to be
/// rejected; `rejection_reason` finds the reason. No member runs before the whole text is read.
fn read_fast<'de, S: Service>(
    engine: Engine<'de, S>,
    text: &'de str,
    members: &mut Vec<ParsedRequest<'de, S>>,
) -> Option<usize> {
    let depth = engine.call_context.config.limits.depth;
    if depth == 0 {
        return None;
    }
    let max_members = engine.call_context.config.max_members();
    let mut cursor = Cursor::new(text, 0);
    cursor.skip_space();
    cursor.expect(b'[')?;
    let mut read = 0;
    loop {
        cursor.skip_space();
        if read == max_members || (read == 0 && cursor.peek() == Some(b']')) {
            return None;
        }
        let start = cursor.at();
        cursor.start_at(start);
        if read == members.len() {
            members.resize_with(read + MEMBER_CHUNK, ParsedRequest::new);
        }
        let member = &mut members[read];
        read += 1;
        match member.fast(engine.service, &mut cursor) {
            FastResult::Done => {}
            FastResult::Truncated => return None,
            FastResult::Fallback => {
                let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<&RawValue>();
                let value = values.next()?.ok()?;
                discard(member.call.take());
                *member = strict(engine, value);
                cursor.start_at(start + values.byte_offset());
            }
        }
        // The brackets of the batch are one level.
        if is_deeper(&text[start..cursor.at()], depth - 1) {
            return None;
        }
        cursor.skip_space();
        if cursor.expect(b',').is_none() {
            cursor.expect(b']')?;
            return cursor.is_at_end().then_some(read);
        }
    }
}

/// The number of members that `read_fast` adds to the vector at a time. Unused ones have [`Action::Ignore`].
const MEMBER_CHUNK: usize = 8;

/// The reference implementation of `read_fast`.
fn read_strict<'de, S: Service>(
    engine: Engine<'de, S>,
    text: &'de str,
    members: &mut Vec<ParsedRequest<'de, S>>,
) -> Result<usize, Reason> {
    // A batch that is too deep is rejected for that, even if it is invalid JSON or has too many members.
    if is_deeper(text, engine.call_context.config.limits.depth) {
        return Err(Reason::TooDeep);
    }
    let raw = batch_members(text, engine.call_context.config.max_members())?;
    members.extend(raw.into_iter().map(|member| strict(engine, member)));
    Ok(members.len())
}

fn strict<'de, S: Service>(engine: Engine<'de, S>, member: &'de RawValue) -> ParsedRequest<'de, S> {
    ParsedRequest::strict(engine, Message::from_value_with_extra(member), member.get().as_bytes())
}

/// Returns the reason to reject a batch that `read_fast` did not read, the same as that of `read_strict`.
#[cold]
fn rejection_reason<S: Service>(engine: Engine<'_, S>, text: &str) -> Reason {
    if is_deeper(text, engine.call_context.config.limits.depth) {
        return Reason::TooDeep;
    }
    batch_members(text, engine.call_context.config.max_members()).err().unwrap_or(Reason::BatchTooLong)
}

/// Runs the members and writes the response. Returns false if the batch gets no response.
async fn run<'de, S: Service>(engine: Engine<'de, S>, scratch: &mut Scratch<'de, S>, out: &mut Vec<u8>) -> bool {
    let Scratch { members, buffer } = scratch;
    let mut responses = BatchWriter::new(out, engine.call_context.config, engine.call_context.observer);
    let mut rest = members.iter_mut();
    while let Some(ParsedRequest { call, head, extras, .. }) = next_call(&mut rest, &mut responses, buffer) {
        let head = &*head;
        let Some(call) = call.take() else { continue };
        // Calls that do not wait run one after the other in this stack slot.
        let handler = RunningHandler::start(engine.call_context.scope);
        let responder = Responder::new(
            ResponseBuffer::Owned(buffer.take()),
            Context::new(head, engine.call_context, &handler, extras.take()),
        );
        let mut running = pin!(Some(engine.service.run(call, responder)));
        match poll_fn(|task| Poll::Ready(run::poll(running.as_mut(), task))).await {
            Poll::Ready(end) => {
                let response = owned_response(engine, head, end);
                responses.push(&response, head.id());
                buffer.put_back(response);
            }
            Poll::Pending => {
                let first = async move {
                    let end = run::run_to_end(engine, head, running).await;
                    drop(handler);
                    owned_response(engine, head, end)
                };
                let late_call = LateCall { place: responses.reserve(), head };
                run_concurrently(engine, pin!(first), late_call, &mut rest, &mut responses).await;
            }
        }
    }
    responses.finish()
}

/// Returns the next member to run, and writes the responses of the rejected ones before it.
#[inline]
fn next_call<'m, 'de, S: Service>(
    members: &mut IterMut<'m, ParsedRequest<'de, S>>,
    responses: &mut BatchWriter<'_>,
    buffer: &mut ReusableBuffer,
) -> Option<&'m mut ParsedRequest<'de, S>> {
    for member in members {
        let ParsedRequest { action, call, head, extras } = &mut *member;
        match action {
            Action::Run if responses.is_full() && head.id().is_some() => {
                responses.reject(head.id());
                discard(call.take());
            }
            Action::Run => return Some(member),
            Action::Reject => {
                let mut response = buffer.take();
                write_rejection(head, extras.get(), &mut response);
                responses.push(&response, head.id());
                buffer.put_back(response);
            }
            Action::Ignore => {}
        }
    }
    None
}

/// Runs `first`, which is pending, and the rest of the members, each in a slot with its own waker.
async fn run_concurrently<'m, 'de, S: Service>(
    engine: Engine<'de, S>,
    mut first: Pin<&mut impl Future<Output = Box<Vec<u8>>>>,
    first_call: LateCall<'m, 'de>,
    rest: &mut IterMut<'m, ParsedRequest<'de, S>>,
    responses: &mut BatchWriter<'_>,
) {
    let mut first_call = Some(first_call);
    let mut slots = Slots::new();
    let mut late_calls: Vec<LateCall<'m, 'de>> = Vec::new();
    let mut buffer = ReusableBuffer::default();
    while let Some(ParsedRequest { call, head, extras, .. }) = next_call(rest, responses, &mut buffer) {
        let head = &*head;
        let Some(call) = call.take() else { continue };
        let (slot, poll) = slots.start(run_call(engine, call, head, extras.take(), buffer.take()));
        match poll {
            Poll::Ready(response) => {
                responses.push(&response, head.id());
                buffer.put_back(response);
            }
            Poll::Pending => {
                let late_call = LateCall { place: responses.reserve(), head };
                match late_calls.get_mut(slot) {
                    Some(previous) => *previous = late_call,
                    None => late_calls.push(late_call),
                }
            }
        }
    }
    poll_fn(|task| {
        if let Some(call) = &first_call
            && let Poll::Ready(response) = first.as_mut().poll(task)
        {
            responses.fill(call.place, *response, call.head.id());
            first_call = None;
        }
        slots.poll_woken(task, |slot, response| {
            let LateCall { place, head } = late_calls[slot];
            responses.fill(place, *response, head.id());
        });
        if first_call.is_none() && slots.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// A pending call, and the place reserved for its response.
#[derive(Clone, Copy)]
struct LateCall<'m, 'de> {
    place: usize,
    head: &'m CallHead<'de>,
}

/// A buffer for one response after the other. A pending call keeps it, and the next call gets a new one.
#[derive(Default)]
struct ReusableBuffer(Option<Box<Vec<u8>>>);

impl ReusableBuffer {
    #[inline]
    fn take(&mut self) -> Box<Vec<u8>> {
        let mut buffer = self.0.take().unwrap_or_default();
        buffer.clear();
        buffer
    }

    #[inline]
    fn put_back(&mut self, buffer: Box<Vec<u8>>) {
        self.0 = Some(buffer);
    }

    fn capacity(&self) -> usize {
        self.0.as_ref().map_or(0, |buffer| buffer.capacity())
    }
}
