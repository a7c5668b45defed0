//! A batch (§6): its members start in order, run side by side and are answered in order.

use super::answers::{Answers, too_large};
use super::judge::{self, CutOff, Started, Verdict};
use super::local::LocalService;
use super::settle::settle;
use super::slots::Slots;
use crate::limits::{Limits, is_deeper};
use crate::wire::cursor::Cursor;
use crate::wire::{Id, Message, Reason, batch_members, write_error};
use serde_json::value::RawValue;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

/// What a batch needs while it is answered, kept from one batch to the next.
pub(super) struct Spare<S: LocalService>(Mutex<Vec<Scratch<'static, S>>>);

struct Scratch<'de, S: LocalService> {
    members: Vec<Verdict<'de, S>>,
    buffer: Vec<u8>,
}

/// How many batches of one server may leave their scratch behind.
const KEPT: usize = 8;

/// What a buffer may have grown to and still be kept.
const KEPT_BYTES: usize = 64 << 10;

impl<S: LocalService> Spare<S> {
    pub(super) fn new() -> Self {
        Spare(Mutex::new(Vec::new()))
    }

    fn take<'de>(&self) -> Scratch<'de, S> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.map_or(Scratch { members: Vec::new(), buffer: Vec::new() }, Scratch::emptied)
    }

    fn keep(&self, scratch: Scratch<'_, S>) {
        if scratch.buffer.capacity() <= KEPT_BYTES && scratch.members.capacity() <= Limits::default().batch {
            let scratch = scratch.emptied();
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() < KEPT {
                kept.push(scratch);
            }
        }
    }
}

impl<S: LocalService> Scratch<'_, S> {
    /// The same memory for members that borrow from another message: collecting from a vector's own
    /// iterator keeps its allocation.
    fn emptied<'to>(mut self) -> Scratch<'to, S> {
        self.members.clear();
        self.buffer.clear();
        Scratch { members: self.members.into_iter().map_while(|_| None).collect(), buffer: self.buffer }
    }
}

/// Answers the batch that is the whole of `text`. False when nothing is owed.
///
/// # Errors
///
/// When it is refused as one message; nothing has run then.
pub(super) async fn answer<'de, S: LocalService>(
    service: &'de S,
    spare: &Spare<S>,
    limits: &Limits,
    text: &'de str,
    out: &mut Vec<u8>,
) -> Result<bool, Reason> {
    let mut scratch = spare.take();
    read(service, limits, text, &mut scratch.members)?;
    let answered = run(service, limits, &mut scratch, out).await;
    spare.keep(scratch);
    Ok(answered)
}

/// Judges each member. The whole text is checked before anything runs.
fn read<'de, S: LocalService>(
    service: &'de S,
    limits: &Limits,
    text: &'de str,
    members: &mut Vec<Verdict<'de, S>>,
) -> Result<(), Reason> {
    let mut at = Cursor::new(text, 0);
    at.skip_space();
    at.expect(b'[').ok_or(Reason::NotJson)?;
    loop {
        at.skip_space();
        if members.len() == limits.batch || (members.is_empty() && at.rest().starts_with(']')) {
            return Err(refusal(limits, text));
        }
        let start = at.at();
        let mut cursor = Cursor::new(text, start);
        let (verdict, end) = match judge::quickly(service, &mut cursor) {
            Some(Ok(verdict)) => (verdict, cursor.at()),
            Some(Err(CutOff)) => return Err(Reason::NotJson),
            None => {
                let mut values = serde_json::Deserializer::from_str(at.rest()).into_iter::<&RawValue>();
                let Some(Ok(member)) = values.next() else {
                    return Err(Reason::NotJson);
                };
                (judge::exactly(service, Message::of_value(member)), start + values.byte_offset())
            }
        };
        // The brackets of the batch itself are one level.
        if is_deeper(&text[start..end], limits.depth.saturating_sub(1)) {
            return Err(Reason::TooDeep);
        }
        members.push(verdict);
        at = Cursor::new(text, end);
        at.skip_space();
        if at.expect(b',').is_some() {
            continue;
        }
        at.expect(b']').ok_or(Reason::NotJson)?;
        at.skip_space();
        return if at.rest().is_empty() { Ok(()) } else { Err(Reason::NotJson) };
    }
}

/// Why a batch that is empty or too long is refused: what is not JSON comes first.
#[cold]
fn refusal(limits: &Limits, text: &str) -> Reason {
    if is_deeper(text, limits.depth) {
        return Reason::TooDeep;
    }
    match batch_members(text, limits.batch) {
        Err(reason) => reason,
        Ok(_) => Reason::BatchTooLong,
    }
}

/// Runs the members and writes their answers.
async fn run<'de, S: LocalService>(
    service: &'de S,
    limits: &Limits,
    scratch: &mut Scratch<'de, S>,
    out: &mut Vec<u8>,
) -> bool {
    let Scratch { members, buffer } = scratch;
    let mut answers = Answers::new(out, limits.batch_answer);
    // Members that are ready at once take turns in this place; the first that is not stays in it,
    // and those behind it move to slots of their own.
    let mut place = pin!(None);
    let mut waits: Option<Wait<'de>> = None;
    let mut slots = None::<Slots<_>>;
    let mut waiting: Vec<Wait<'de>> = Vec::new();
    for verdict in members.drain(..) {
        let started = match verdict {
            Verdict::Silence => continue,
            Verdict::Refuse(id, error) => {
                buffer.clear();
                write_error(buffer, id.as_token(), &error);
                answers.push(buffer, Some(&id));
                continue;
            }
            Verdict::Run(started) => started,
        };
        let id = started.id.clone();
        if answers.is_full() && id.is_some() {
            answers.push(&too_large(id.as_ref()), id.as_ref());
        } else if waits.is_none() {
            place.set(Some(member(service, started, std::mem::take(buffer))));
            let poll =
                poll_fn(|context| Poll::Ready(place.as_mut().as_pin_mut().map(|future| future.poll(context)))).await;
            match poll {
                Some(Poll::Ready(answer)) => {
                    place.set(None);
                    answers.push(&answer, id.as_ref());
                    *buffer = answer;
                }
                _ => waits = Some(Wait { place: answers.keep(), id }),
            }
        } else {
            let slots = slots.get_or_insert_with(Slots::new);
            let (slot, poll) = slots.start(member(service, started, std::mem::take(buffer)));
            match poll {
                Poll::Ready(answer) => {
                    answers.push(&answer, id.as_ref());
                    *buffer = answer;
                }
                Poll::Pending => {
                    let wait = Wait { place: answers.keep(), id };
                    match waiting.get_mut(slot) {
                        Some(former) => *former = wait,
                        None => waiting.push(wait),
                    }
                }
            }
        }
    }
    poll_fn(|context| {
        if let Some(wait) = &waits
            && let Some(future) = place.as_mut().as_pin_mut()
            && let Poll::Ready(answer) = future.poll(context)
        {
            place.set(None);
            answers.fill(wait.place, answer, wait.id.as_ref());
            waits = None;
        }
        if let Some(slots) = &mut slots {
            slots.poll_woken(context, |slot, answer| {
                answers.fill(waiting[slot].place, answer, waiting[slot].id.as_ref());
            });
        }
        let done = waits.is_none() && slots.as_ref().is_none_or(Slots::is_empty);
        if done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.finish()
}

/// An answer that comes late: its place, and the id it is owed under.
struct Wait<'de> {
    place: usize,
    id: Option<Id<'de>>,
}

async fn member<'de, S: LocalService>(service: &'de S, started: Started<'de, S>, mut buffer: Vec<u8>) -> Vec<u8> {
    buffer.clear();
    settle(service, started, buffer).await
}
