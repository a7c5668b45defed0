//! Every rule about answering a message: whether it is refused as a whole, is one or many, and what
//! is owed for it.

use super::batch::{self, Spare};
use super::desk::Desk;
use super::judge::{self, Quick, Verdict};
use super::local::LocalService;
use super::panic::discard;
use super::settle::settle;
use crate::limits::is_deeper;
use crate::wire::cursor::Cursor;
use crate::wire::{Message, Reason};

/// Appends the answer to one message. False when none is owed.
#[inline]
pub(super) async fn answer<S: LocalService>(
    desk: Desk<'_, S>,
    spare: &Spare<S>,
    message: &[u8],
    out: &mut Vec<u8>,
) -> bool {
    let mut call = None;
    let context = match open(desk, message, &mut call) {
        Ok(Opened::Single(Verdict::Run(context))) => context,
        Ok(Opened::Single(Verdict::Silence)) => return false,
        Ok(Opened::Single(Verdict::Refuse(id, error))) => {
            desk.refuse(out, &id, &error);
            return true;
        }
        Ok(Opened::Batch(text)) => {
            return match batch::answer(desk, spare, text, out).await {
                Ok(answered) => answered,
                Err(reason) => desk.refuse_whole(out, message, reason),
            };
        }
        Err(reason) => return desk.refuse_whole(out, message, reason),
    };
    let Some(call) = call else { return false };
    // The call owns the buffer while it runs, so that one that is dropped half-way leaves nothing of
    // it behind. What is in `out` already must not go with it.
    let buffer = if out.is_empty() { std::mem::take(out) } else { Vec::new() };
    let answer = settle(desk, call, context, buffer).await;
    let answered = !answer.is_empty();
    if out.is_empty() {
        *out = answer;
    } else {
        out.extend_from_slice(&answer);
    }
    answered
}

/// A message that is not refused as a whole.
enum Opened<'de> {
    Single(Verdict<'de>),
    Batch(&'de str),
}

/// Looks at a message as a whole, and judges one that is no batch: quickly if it can be and nobody
/// watches.
#[inline]
fn open<'de, S: LocalService>(
    desk: Desk<'de, S>,
    message: &'de [u8],
    call: &mut Option<S::Call<'de>>,
) -> Result<Opened<'de>, Reason> {
    if message.len() > desk.limits.message {
        return Err(Reason::TooLarge);
    }
    let text = std::str::from_utf8(message).map_err(|_| Reason::NotUtf8)?;
    let mut cursor = Cursor::new(text, 0);
    cursor.skip_space();
    if cursor.peek() == Some(b'[') {
        return Ok(Opened::Batch(text));
    }
    if is_deeper(text, desk.limits.depth) {
        return Err(Reason::TooDeep);
    }
    if desk.observer.is_none() {
        match judge::quickly(desk.service, &mut cursor, call) {
            Quick::Verdict(verdict) if cursor.is_at_end() => return Ok(Opened::Single(verdict)),
            Quick::CutOff => return Err(Reason::NotJson),
            Quick::Verdict(_) | Quick::Unusual => discard(call.take()),
        }
    }
    Ok(Opened::Single(judge::exactly(desk, Message::read(text), text.as_bytes(), call)))
}
