//! Every rule about answering a message: whether it is refused as a whole, is one or many, and what
//! is owed for it.

use super::batch::{self, ScratchPool};
use super::classify::{Action, FastResult, ParsedRequest, write_rejection};
use super::context::{CallHead, Context};
use super::engine::Engine;
use super::panic::discard;
use super::responder::{Responder, ResponseBuffer};
use super::run::{self, CallEnd};
use super::scope::RunningHandler;
use super::service::Service;
use crate::depth::is_deeper;
use crate::wire::cursor::Cursor;
use crate::wire::{Message, Reason};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Appends the answer to one message. False when none is owed.
#[inline]
pub(super) async fn respond<S: Service>(
    engine: Engine<'_, S>,
    spare: &ScratchPool<S>,
    message: &[u8],
    out: &mut Vec<u8>,
) -> bool {
    if message.len() > engine.call_context.config.limits.message_bytes {
        return engine.refuse_whole(out, message, Reason::TooLarge);
    }
    match std::str::from_utf8(message) {
        Ok(text) => respond_to_text(engine, spare, text, out).await,
        Err(_) => engine.refuse_whole(out, message, Reason::NotUtf8),
    }
}

/// As `respond`, for a message that is known to be UTF-8.
#[inline]
pub(super) async fn respond_to_text<S: Service>(
    engine: Engine<'_, S>,
    spare: &ScratchPool<S>,
    text: &str,
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    // What is read from the message, and the reply, borrow for one lifetime, which ends with this block.
    let end = {
        let mut parsed = ParsedRequest::new();
        match open(engine, text, &mut parsed) {
            Opened::Single => {}
            Opened::Batch => {
                return batch::respond(engine, spare, text, out).await;
            }
            Opened::Refused(reason) => return engine.refuse_whole(out, text.as_bytes(), reason),
        }
        match parsed.action {
            Action::Run => {}
            Action::Ignore => return false,
            Action::Reject => {
                write_rejection(&parsed.head, parsed.extras.get(), out);
                engine.answered(parsed.head.id(), &out[start..]);
                return true;
            }
        }
        let Some(call) = parsed.call.take() else { return false };
        let handler = RunningHandler::start(engine.call_context.scope);
        let responder = Responder::new(
            ResponseBuffer::Borrowed(out),
            Context::of(&parsed.head, engine.call_context, &handler, parsed.extras.take()),
        );
        let mut run = pin!(Some(engine.service.run(call, responder)));
        match poll_fn(|task| Poll::Ready(run::poll(run.as_mut(), task))).await {
            Poll::Ready(end) => end,
            Poll::Pending => run::until_end(engine, &parsed.head, run).await,
        }
    };
    if end.is_err() || engine.call_context.observer.is_some() {
        conclude(engine, text, end, out, start);
    }
    out.len() > start
}

/// What is left to do for a call that panicked, or that somebody watches.
#[cold]
fn conclude<S: Service>(engine: Engine<'_, S>, text: &str, end: CallEnd, out: &mut Vec<u8>, start: usize) {
    let head = CallHead::of(Message::read(text));
    if let Err(end) = end {
        out.truncate(start);
        run::write_abort_response(engine, &head, end, out);
    }
    if out.len() > start {
        engine.answered(head.id(), &out[start..]);
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
fn open<'de, S: Service>(engine: Engine<'de, S>, text: &'de str, parsed: &mut ParsedRequest<'de, S>) -> Opened {
    if text.len() > engine.call_context.config.limits.message_bytes {
        return Opened::Refused(Reason::TooLarge);
    }
    let mut cursor = Cursor::new(text, 0);
    cursor.skip_space();
    if cursor.peek() == Some(b'[') {
        return Opened::Batch;
    }
    if is_deeper(text, engine.call_context.config.limits.depth) {
        return Opened::Refused(Reason::TooDeep);
    }
    if engine.call_context.observer.is_none() {
        match parsed.fast(engine.service, &mut cursor) {
            FastResult::Done if cursor.is_at_end() => return Opened::Single,
            FastResult::Truncated => return Opened::Refused(Reason::NotJson),
            FastResult::Done | FastResult::Fallback => discard(parsed.call.take()),
        }
    }
    *parsed = ParsedRequest::strict(engine, Message::read_with_extra(text), text.as_bytes());
    Opened::Single
}
