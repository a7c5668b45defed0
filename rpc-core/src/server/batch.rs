//! A batch (§6): its members start in order, run side by side and are answered in order.

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
use crate::observe::{Cause, Event};
use crate::wire::cursor::Cursor;
use crate::wire::{ErrorObject, Message, Reason, batch_members};
use serde_json::value::RawValue;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::slice::IterMut;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

/// What a batch needs while it is answered, kept from one batch to the next.
pub(super) struct ScratchPool<S: Service>(Mutex<Vec<Scratch<'static, S>>>);

struct Scratch<'de, S: Service> {
    members: Vec<ParsedRequest<'de, S>>,
    buffer: ReusableBuffer,
}

/// How many batches of one server may leave their scratch behind.
const KEPT: usize = 8;

/// What a scratch may have grown to, in bytes, and still be kept.
const KEPT_BYTES: usize = 256 << 10;

impl<S: Service> ScratchPool<S> {
    pub(super) fn new() -> Self {
        ScratchPool(Mutex::new(Vec::new()))
    }

    fn take<'de>(&self) -> Scratch<'de, S> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.map_or_else(Scratch::new, Scratch::emptied)
    }

    fn keep(&self, scratch: Scratch<'_, S>) {
        let bytes = scratch.buffer.capacity() + scratch.members.capacity() * size_of::<ParsedRequest<'_, S>>();
        if bytes <= KEPT_BYTES {
            let scratch = scratch.emptied();
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() < KEPT {
                kept.push(scratch);
            }
        }
    }
}

impl<S: Service> Scratch<'_, S> {
    fn new() -> Self {
        Scratch { members: Vec::new(), buffer: ReusableBuffer::default() }
    }

    /// The same memory for members that borrow from another message: collecting from a vector's own
    /// iterator keeps its allocation.
    fn emptied<'to>(mut self) -> Scratch<'to, S> {
        self.members.clear();
        let members = self.members.into_iter().map_while(|_| None).collect();
        Scratch { members, buffer: self.buffer }
    }
}

/// Answers the batch that is the whole of `text`. False when nothing is owed.
pub(super) async fn respond<'de, S: Service>(
    engine: Engine<'de, S>,
    spare: &ScratchPool<S>,
    text: &'de str,
    out: &mut Vec<u8>,
) -> bool {
    let mut scratch = spare.take();
    let read = if engine.call_context.observer.is_none() {
        read_fast(engine, text, &mut scratch.members).ok_or_else(|| refusal(engine, text))
    } else {
        read_strict(engine, text, &mut scratch.members)
    };
    let permitted = match read {
        Ok(members) => permit(engine, &scratch.members[..members]),
        Err(reason) => Err(Refused::Unread(reason)),
    };
    if let Err(refused) = permitted {
        scratch.members.drain(..).for_each(discard);
        return match refused {
            Refused::Unread(reason) => engine.refuse_batch(out, text, reason),
            Refused::ByService(error) => engine.answer_whole(out, &error),
        };
    }
    let answered = run(engine, &mut scratch, out).await;
    spare.keep(scratch);
    answered
}

/// Why nothing of a batch runs.
enum Refused {
    Unread(Reason),
    /// It was read, and who stands around the service refuses it.
    ByService(ErrorObject),
}

/// Shows the batch as a whole to the service; a panic there is a refusal.
#[inline]
fn permit<S: Service>(engine: Engine<'_, S>, members: &[ParsedRequest<'_, S>]) -> Result<(), Refused> {
    let count = || {
        let run = members.iter().filter(|member| member.action == Action::Run);
        let calls = run.clone().filter(|member| member.head.id().is_some()).count();
        (calls, run.count() - calls)
    };
    let info = BatchInfo::new(members.len(), &count, engine.call_context);
    match catch_unwind(AssertUnwindSafe(|| engine.service.batch(&info))) {
        Ok(permitted) => permitted.map_err(Refused::ByService),
        Err(payload) => {
            let detail = &*detail(&*payload);
            engine.observe(&Event::InternalFailure { method: "", id: None, cause: Cause::Panic, detail });
            forget(payload);
            Err(Refused::ByService(ErrorObject::internal_error()))
        }
    }
}

/// Judges each member as soon as it is read; the whole text is checked before anything runs. Says how many there
/// are, `None` when the batch is to be refused; `refusal` says why.
fn read_fast<'de, S: Service>(
    engine: Engine<'de, S>,
    text: &'de str,
    members: &mut Vec<ParsedRequest<'de, S>>,
) -> Option<usize> {
    let depth = engine.call_context.config.limits.depth;
    if depth == 0 {
        return None;
    }
    let most = engine.call_context.config.members();
    let mut cursor = Cursor::new(text, 0);
    cursor.skip_space();
    cursor.expect(b'[')?;
    let mut read = 0;
    loop {
        cursor.skip_space();
        if read == most || (read == 0 && cursor.peek() == Some(b']')) {
            return None;
        }
        let start = cursor.at();
        cursor.start_at(start);
        if read == members.len() {
            members.resize_with(read + AT_ONCE, ParsedRequest::new);
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
        // The brackets of the batch itself are one level.
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

/// How many dockets are laid out at once, where they stay; what is left over owes nothing.
const AT_ONCE: usize = 8;

/// The reference for `read_fast`.
fn read_strict<'de, S: Service>(
    engine: Engine<'de, S>,
    text: &'de str,
    members: &mut Vec<ParsedRequest<'de, S>>,
) -> Result<usize, Reason> {
    // What is not JSON, or too deep, is that first, however many members it has.
    if is_deeper(text, engine.call_context.config.limits.depth) {
        return Err(Reason::TooDeep);
    }
    let raw = batch_members(text, engine.call_context.config.members())?;
    members.extend(raw.into_iter().map(|member| strict(engine, member)));
    Ok(members.len())
}

fn strict<'de, S: Service>(engine: Engine<'de, S>, member: &'de RawValue) -> ParsedRequest<'de, S> {
    ParsedRequest::strict(engine, Message::from_value_with_extra(member), member.get().as_bytes())
}

/// Why a batch is refused that was not read to its end: the reference decides. What is not JSON may
/// be too deep as well, which is told first.
#[cold]
fn refusal<S: Service>(engine: Engine<'_, S>, text: &str) -> Reason {
    if is_deeper(text, engine.call_context.config.limits.depth) {
        return Reason::TooDeep;
    }
    batch_members(text, engine.call_context.config.members()).err().unwrap_or(Reason::BatchTooLong)
}

/// Runs the members and writes their answers.
async fn run<'de, S: Service>(engine: Engine<'de, S>, scratch: &mut Scratch<'de, S>, out: &mut Vec<u8>) -> bool {
    let Scratch { members, buffer } = scratch;
    let mut responses = BatchWriter::new(out, engine.call_context.config, engine.call_context.observer);
    let mut rest = members.iter_mut();
    while let Some(ParsedRequest { call, head, extras, .. }) = next_call(&mut rest, &mut responses, buffer) {
        let head = &*head;
        let Some(call) = call.take() else { continue };
        // Calls that are ready at once take turns in this place.
        let handler = RunningHandler::start(engine.call_context.scope);
        let responder = Responder::new(
            ResponseBuffer::Owned(buffer.take()),
            Context::of(head, engine.call_context, &handler, extras.take()),
        );
        let mut running = pin!(Some(engine.service.run(call, responder)));
        match poll_fn(|task| Poll::Ready(run::poll(running.as_mut(), task))).await {
            Poll::Ready(end) => {
                let response = owned_response(engine, head, end);
                responses.push(&response, head.id());
                buffer.keep(response);
            }
            Poll::Pending => {
                let first = async move {
                    let end = run::until_end(engine, head, running).await;
                    drop(handler);
                    owned_response(engine, head, end)
                };
                let wait = LateCall { place: responses.reserve(), head };
                side_by_side(engine, pin!(first), wait, &mut rest, &mut responses).await;
            }
        }
    }
    responses.finish()
}

/// The next call to run; the members before it are answered.
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
                buffer.keep(response);
            }
            Action::Ignore => {}
        }
    }
    None
}

/// Runs the rest of the members beside one that is not ready: each in a slot with a waker of its own.
async fn side_by_side<'m, 'de, S: Service>(
    engine: Engine<'de, S>,
    mut first: Pin<&mut impl Future<Output = Box<Vec<u8>>>>,
    wait: LateCall<'m, 'de>,
    rest: &mut IterMut<'m, ParsedRequest<'de, S>>,
    responses: &mut BatchWriter<'_>,
) {
    let mut first_wait = Some(wait);
    let mut slots = Slots::new();
    let mut waits: Vec<LateCall<'m, 'de>> = Vec::new();
    let mut buffer = ReusableBuffer::default();
    while let Some(ParsedRequest { call, head, extras, .. }) = next_call(rest, responses, &mut buffer) {
        let head = &*head;
        let Some(call) = call.take() else { continue };
        let (slot, poll) = slots.start(run_call(engine, call, head, extras.take(), buffer.take()));
        match poll {
            Poll::Ready(response) => {
                responses.push(&response, head.id());
                buffer.keep(response);
            }
            Poll::Pending => {
                let wait = LateCall { place: responses.reserve(), head };
                match waits.get_mut(slot) {
                    Some(former) => *former = wait,
                    None => waits.push(wait),
                }
            }
        }
    }
    poll_fn(|task| {
        if let Some(wait) = &first_wait
            && let Poll::Ready(response) = first.as_mut().poll(task)
        {
            responses.fill(wait.place, *response, wait.head.id());
            first_wait = None;
        }
        slots.poll_woken(task, |slot, response| {
            let LateCall { place, head } = waits[slot];
            responses.fill(place, *response, head.id());
        });
        if first_wait.is_none() && slots.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// An answer that comes late: its place, and the call that it is owed for.
#[derive(Clone, Copy)]
struct LateCall<'m, 'de> {
    place: usize,
    head: &'m CallHead<'de>,
}

/// Where answers are written one after the other, unless a pending call keeps it.
#[derive(Default)]
struct ReusableBuffer(Option<Box<Vec<u8>>>);

impl ReusableBuffer {
    /// An empty one.
    #[inline]
    fn take(&mut self) -> Box<Vec<u8>> {
        let mut buffer = self.0.take().unwrap_or_default();
        buffer.clear();
        buffer
    }

    /// What was taken comes back.
    #[inline]
    fn keep(&mut self, buffer: Box<Vec<u8>>) {
        self.0 = Some(buffer);
    }

    fn capacity(&self) -> usize {
        self.0.as_ref().map_or(0, |buffer| buffer.capacity())
    }
}
