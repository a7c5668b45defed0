//! Every rule about answering a message: whether it is refused as a whole, is one or many, and what
//! is owed for it.

use super::batch::{self, Spare};
use super::judge::{self, CutOff, Verdict};
use super::local::LocalService;
use super::settle::settle;
use crate::limits::{Limits, is_deeper};
use crate::wire::cursor::Cursor;
use crate::wire::{Id, Message, Reason, write_error};

/// Appends the answer to one message. False when none is owed.
pub(super) async fn answer<S: LocalService>(
    service: &S,
    spare: &Spare<S>,
    limits: &Limits,
    message: &[u8],
    out: &mut Vec<u8>,
) -> bool {
    match answer_or_refuse(service, spare, limits, message, out).await {
        Ok(answered) => answered,
        Err(reason) => {
            // SPEC §5.1: the id is null when it could not be read.
            write_error(out, Id::NULL.as_token(), &reason.to_error());
            true
        }
    }
}

async fn answer_or_refuse<S: LocalService>(
    service: &S,
    spare: &Spare<S>,
    limits: &Limits,
    message: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, Reason> {
    if message.len() > limits.message {
        return Err(Reason::TooLarge);
    }
    let text = std::str::from_utf8(message).map_err(|_| Reason::NotUtf8)?;
    let mut cursor = Cursor::new(text, 0);
    cursor.skip_space();
    if cursor.rest().starts_with('[') {
        return batch::answer(service, spare, limits, text, out).await;
    }
    if is_deeper(text, limits.depth) {
        return Err(Reason::TooDeep);
    }
    let verdict = match judge::quickly(service, &mut cursor) {
        Some(Ok(verdict)) if is_at_end(&mut cursor) => verdict,
        Some(Err(CutOff)) => return Err(Reason::NotJson),
        _ => judge::exactly(service, Message::read(text)),
    };
    match verdict {
        Verdict::Silence => Ok(false),
        Verdict::Refuse(id, error) => {
            write_error(out, id.as_token(), &error);
            Ok(true)
        }
        Verdict::Run(started) => {
            // The call owns the buffer while it runs, so that one that is dropped half-way leaves
            // nothing of it behind. What is in `out` already must not go with it.
            let buffer = if out.is_empty() { std::mem::take(out) } else { Vec::new() };
            let answer = settle(service, started, buffer).await;
            let answered = !answer.is_empty();
            if out.is_empty() {
                *out = answer;
            } else {
                out.extend_from_slice(&answer);
            }
            Ok(answered)
        }
    }
}

fn is_at_end(cursor: &mut Cursor<'_>) -> bool {
    cursor.skip_space();
    cursor.rest().is_empty()
}
