//! Every rule about answering a message: whether it is refused as a whole, is one or many, and what
//! is owed for it.

use super::batch::{self, Spare};
use super::context::{Asked, Context};
use super::desk::Desk;
use super::judge::{Docket, Quick, Verdict, write_refusal};
use super::local::LocalService;
use super::panic::discard;
use super::reply::{Reply, Sink};
use super::scope::Begun;
use super::settle::{self, End};
use crate::limits::is_deeper;
use crate::wire::cursor::Cursor;
use crate::wire::{Message, Reason};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Appends the answer to one message. False when none is owed.
#[inline]
pub(super) async fn answer<S: LocalService>(
    desk: Desk<'_, S>,
    spare: &Spare<S>,
    message: &[u8],
    out: &mut Vec<u8>,
) -> bool {
    if message.len() > desk.rules.limits.message {
        return desk.refuse_whole(out, message, Reason::TooLarge);
    }
    match std::str::from_utf8(message) {
        Ok(text) => answer_text(desk, spare, text, out).await,
        Err(_) => desk.refuse_whole(out, message, Reason::NotUtf8),
    }
}

/// As `answer`, for a message that is known to be UTF-8.
#[inline]
pub(super) async fn answer_text<S: LocalService>(
    desk: Desk<'_, S>,
    spare: &Spare<S>,
    text: &str,
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    // What is read from the message, and the reply, borrow for one lifetime, which ends with this block.
    let end = {
        let mut docket = Docket::new();
        match open(desk, text, &mut docket) {
            Opened::Single => {}
            Opened::Batch => {
                return batch::answer(desk, spare, text, out).await;
            }
            Opened::Refused(reason) => return desk.refuse_whole(out, text.as_bytes(), reason),
        }
        match docket.verdict {
            Verdict::Run => {}
            Verdict::Silence => return false,
            Verdict::Refuse => {
                write_refusal(&docket.context, docket.extra.get(), out);
                desk.answered(docket.context.id(), &out[start..]);
                return true;
            }
        }
        let Some(call) = docket.call.take() else { return false };
        let begun = Begun::of(desk.around.scope);
        let reply = Reply::new(Sink::Lent(out), Context::of(&docket.context, desk.around, &begun, docket.extra.take()));
        let mut run = pin!(Some(desk.service.run(call, reply)));
        match poll_fn(|task| Poll::Ready(settle::poll(run.as_mut(), task))).await {
            Poll::Ready(end) => end,
            Poll::Pending => settle::until_end(desk, &docket.context, run).await,
        }
    };
    if end.is_err() || desk.around.observer.is_some() {
        conclude(desk, text, end, out, start);
    }
    out.len() > start
}

/// What is left to do for a call that panicked, or that somebody watches.
#[cold]
fn conclude<S: LocalService>(desk: Desk<'_, S>, text: &str, end: End, out: &mut Vec<u8>, start: usize) {
    let context = Asked::of(Message::read(text));
    if let Err(end) = end {
        out.truncate(start);
        settle::answer_for(desk, &context, end, out);
    }
    if out.len() > start {
        desk.answered(context.id(), &out[start..]);
    }
}

/// What a message is as a whole.
enum Opened {
    /// No batch: it has been judged.
    Single,
    /// A batch, of which nothing is read yet.
    Batch,
    /// Refused, for this reason.
    Refused(Reason),
}

/// Looks at a message as a whole, and judges one that is no batch: quickly if it can be and nobody
/// watches.
#[inline]
fn open<'de, S: LocalService>(desk: Desk<'de, S>, text: &'de str, docket: &mut Docket<'de, S>) -> Opened {
    if text.len() > desk.rules.limits.message {
        return Opened::Refused(Reason::TooLarge);
    }
    let mut cursor = Cursor::new(text, 0);
    cursor.skip_space();
    if cursor.peek() == Some(b'[') {
        return Opened::Batch;
    }
    if is_deeper(text, desk.rules.limits.depth) {
        return Opened::Refused(Reason::TooDeep);
    }
    if desk.around.observer.is_none() {
        match docket.quickly(desk.service, &mut cursor) {
            Quick::Judged if cursor.is_at_end() => return Opened::Single,
            Quick::CutOff => return Opened::Refused(Reason::NotJson),
            Quick::Judged | Quick::Unusual => discard(docket.call.take()),
        }
    }
    *docket = Docket::exactly(desk, Message::read_with_others(text), text.as_bytes());
    Opened::Single
}
