//! A batch (§6): its members start in order, run side by side and are answered in order.

#![allow(
    clippy::box_collection,
    clippy::unnecessary_box_returns,
    reason = "a buffer is boxed: a vector that was just written to is slow to move"
)]

use super::answers::Answers;
use super::batch_info::BatchInfo;
use super::context::{Asked, Context};
use super::desk::Desk;
use super::judge::{Docket, Quick, Verdict, write_refusal};
use super::local::LocalService;
use super::panic::{detail, discard, forget};
use super::reply::{Reply, Sink};
use super::scope::Begun;
use super::settle::{self, own_answer, settle};
use super::slots::Slots;
use crate::limits::{Limits, is_deeper};
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
pub(super) struct Spare<S: LocalService>(Mutex<Vec<Scratch<'static, S>>>);

struct Scratch<'de, S: LocalService> {
    members: Vec<Docket<'de, S>>,
    buffer: Buffer,
    last: Box<Vec<u8>>,
}

/// How many batches of one server may leave their scratch behind.
const KEPT: usize = 8;

/// What a scratch may have grown to, in bytes, and still be kept.
const KEPT_BYTES: usize = 256 << 10;

impl<S: LocalService> Spare<S> {
    pub(super) fn new() -> Self {
        Spare(Mutex::new(Vec::new()))
    }

    fn take<'de>(&self) -> Scratch<'de, S> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.map_or_else(Scratch::new, Scratch::emptied)
    }

    fn keep(&self, scratch: Scratch<'_, S>) {
        let bytes = scratch.buffer.capacity()
            + scratch.last.capacity()
            + scratch.members.capacity() * size_of::<Docket<'_, S>>();
        if bytes <= KEPT_BYTES {
            let scratch = scratch.emptied();
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() < KEPT {
                kept.push(scratch);
            }
        }
    }
}

impl<S: LocalService> Scratch<'_, S> {
    fn new() -> Self {
        Scratch { members: Vec::new(), buffer: Buffer::default(), last: Box::default() }
    }

    /// The same memory for members that borrow from another message: collecting from a vector's own
    /// iterator keeps its allocation.
    fn emptied<'to>(mut self) -> Scratch<'to, S> {
        self.members.clear();
        let members = self.members.into_iter().map_while(|_| None).collect();
        Scratch { members, buffer: self.buffer, last: self.last }
    }
}

/// Answers the batch that is the whole of `text`. False when nothing is owed.
pub(super) async fn answer<'de, S: LocalService>(
    desk: Desk<'de, S>,
    spare: &Spare<S>,
    text: &'de str,
    out: &mut Vec<u8>,
) -> bool {
    let mut scratch = spare.take();
    let read = if desk.around.observer.is_none() {
        read_quickly(desk, text, &mut scratch.members).ok_or_else(|| refusal(desk, text))
    } else {
        read_exactly(desk, text, &mut scratch.members)
    };
    let permitted = match read {
        Ok(members) => permit(desk, &scratch.members[..members]),
        Err(reason) => Err(Refused::Unread(reason)),
    };
    if let Err(refused) = permitted {
        scratch.members.drain(..).for_each(discard);
        return match refused {
            Refused::Unread(reason) => desk.refuse_batch(out, text, reason),
            Refused::Whole(error) => desk.answer_whole(out, &error),
        };
    }
    let answered = run(desk, &mut scratch, out).await;
    spare.keep(scratch);
    answered
}

/// Why nothing of a batch runs.
enum Refused {
    Unread(Reason),
    /// It was read, and who stands around the service refuses it.
    Whole(ErrorObject),
}

/// Shows the batch as a whole to the service; a panic there is a refusal.
#[inline]
fn permit<S: LocalService>(desk: Desk<'_, S>, members: &[Docket<'_, S>]) -> Result<(), Refused> {
    let count = || {
        let run = members.iter().filter(|member| member.verdict == Verdict::Run);
        let calls = run.clone().filter(|member| member.context.id().is_some()).count();
        (calls, run.count() - calls)
    };
    let info = BatchInfo::new(members.len(), &count, desk.around);
    match catch_unwind(AssertUnwindSafe(|| desk.service.batch(&info))) {
        Ok(permitted) => permitted.map_err(Refused::Whole),
        Err(payload) => {
            let detail = &*detail(&*payload);
            desk.observe(&Event::Concealed { method: "", id: None, cause: Cause::Panic, detail });
            forget(payload);
            Err(Refused::Whole(ErrorObject::internal_error()))
        }
    }
}

/// Judges each member as soon as it is read; the whole text is checked before anything runs. Says how many there
/// are, `None` when the batch is to be refused; `refusal` says why.
fn read_quickly<'de, S: LocalService>(
    desk: Desk<'de, S>,
    text: &'de str,
    members: &mut Vec<Docket<'de, S>>,
) -> Option<usize> {
    let Limits { depth, .. } = desk.rules.limits;
    if depth == 0 {
        return None;
    }
    let most = desk.rules.members();
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
            members.resize_with(read + AT_ONCE, Docket::new);
        }
        let member = &mut members[read];
        read += 1;
        match member.quickly(desk.service, &mut cursor) {
            Quick::Judged => {}
            Quick::CutOff => return None,
            Quick::Unusual => {
                let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<&RawValue>();
                let value = values.next()?.ok()?;
                discard(member.call.take());
                *member = exactly(desk, value);
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

/// The reference for `read_quickly`.
fn read_exactly<'de, S: LocalService>(
    desk: Desk<'de, S>,
    text: &'de str,
    members: &mut Vec<Docket<'de, S>>,
) -> Result<usize, Reason> {
    // What is not JSON, or too deep, is that first, however many members it has.
    if is_deeper(text, desk.rules.limits.depth) {
        return Err(Reason::TooDeep);
    }
    let raw = batch_members(text, desk.rules.members())?;
    members.extend(raw.into_iter().map(|member| exactly(desk, member)));
    Ok(members.len())
}

fn exactly<'de, S: LocalService>(desk: Desk<'de, S>, member: &'de RawValue) -> Docket<'de, S> {
    Docket::exactly(desk, Message::of_value_with_others(member), member.get().as_bytes())
}

/// Why a batch is refused that was not read to its end: the reference decides. What is not JSON may
/// be too deep as well, which is told first.
#[cold]
fn refusal<S: LocalService>(desk: Desk<'_, S>, text: &str) -> Reason {
    if is_deeper(text, desk.rules.limits.depth) {
        return Reason::TooDeep;
    }
    batch_members(text, desk.rules.members()).err().unwrap_or(Reason::BatchTooLong)
}

/// Runs the members and writes their answers.
async fn run<'de, S: LocalService>(desk: Desk<'de, S>, scratch: &mut Scratch<'de, S>, out: &mut Vec<u8>) -> bool {
    let Scratch { members, buffer, last } = scratch;
    let mut answers = Answers::new(out, last, desk.rules, desk.around.observer);
    let mut rest = members.iter_mut();
    while let Some(Docket { call, context, extra, .. }) = next_call(&mut rest, &mut answers, buffer) {
        let context = &*context;
        let Some(call) = call.take() else { continue };
        // Calls that are ready at once take turns in this place.
        let begun = Begun::of(desk.around.scope);
        let reply = Reply::new(Sink::Own(buffer.take()), Context::of(context, desk.around, &begun, extra.take()));
        let mut running = pin!(Some(desk.service.run(call, reply)));
        match poll_fn(|task| Poll::Ready(settle::poll(running.as_mut(), task))).await {
            Poll::Ready(end) => {
                let mut answer = own_answer(desk, context, end);
                answers.push(&mut answer, context.id());
                buffer.keep(answer);
            }
            Poll::Pending => {
                let first = async move {
                    let end = settle::until_end(desk, context, running).await;
                    drop(begun);
                    own_answer(desk, context, end)
                };
                let wait = Wait { place: answers.keep(), context };
                side_by_side(desk, pin!(first), wait, &mut rest, &mut answers).await;
            }
        }
    }
    answers.finish()
}

/// The next call to run; the members before it are answered.
#[inline]
fn next_call<'m, 'de, S: LocalService>(
    members: &mut IterMut<'m, Docket<'de, S>>,
    answers: &mut Answers<'_>,
    buffer: &mut Buffer,
) -> Option<&'m mut Docket<'de, S>> {
    for member in members {
        let Docket { verdict, call, context, extra } = &mut *member;
        match verdict {
            Verdict::Run if answers.is_full() && context.id().is_some() => {
                answers.refuse(context.id());
                discard(call.take());
            }
            Verdict::Run => return Some(member),
            Verdict::Refuse => {
                let mut answer = buffer.take();
                write_refusal(context, extra.get(), &mut answer);
                answers.push(&mut answer, context.id());
                buffer.keep(answer);
            }
            Verdict::Silence => {}
        }
    }
    None
}

/// Runs the rest of the members beside one that is not ready: each in a slot with a waker of its own.
async fn side_by_side<'m, 'de, S: LocalService>(
    desk: Desk<'de, S>,
    mut first: Pin<&mut impl Future<Output = Box<Vec<u8>>>>,
    wait: Wait<'m, 'de>,
    rest: &mut IterMut<'m, Docket<'de, S>>,
    answers: &mut Answers<'_>,
) {
    let mut first_wait = Some(wait);
    let mut slots = Slots::new();
    let mut waits: Vec<Wait<'m, 'de>> = Vec::new();
    let mut buffer = Buffer::default();
    while let Some(Docket { call, context, extra, .. }) = next_call(rest, answers, &mut buffer) {
        let context = &*context;
        let Some(call) = call.take() else { continue };
        let (slot, poll) = slots.start(settle(desk, call, context, extra.take(), buffer.take()));
        match poll {
            Poll::Ready(mut answer) => {
                answers.push(&mut answer, context.id());
                buffer.keep(answer);
            }
            Poll::Pending => {
                let wait = Wait { place: answers.keep(), context };
                match waits.get_mut(slot) {
                    Some(former) => *former = wait,
                    None => waits.push(wait),
                }
            }
        }
    }
    poll_fn(|task| {
        if let Some(wait) = &first_wait
            && let Poll::Ready(answer) = first.as_mut().poll(task)
        {
            answers.fill(wait.place, *answer, wait.context.id());
            first_wait = None;
        }
        slots.poll_woken(task, |slot, answer| {
            let Wait { place, context } = waits[slot];
            answers.fill(place, *answer, context.id());
        });
        if first_wait.is_none() && slots.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// An answer that comes late: its place, and the call that it is owed for.
#[derive(Clone, Copy)]
struct Wait<'m, 'de> {
    place: usize,
    context: &'m Asked<'de>,
}

/// Where answers are written one after the other, unless a pending call keeps it.
#[derive(Default)]
struct Buffer(Option<Box<Vec<u8>>>);

impl Buffer {
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
