//! Dispatch of a message: rejects it as a whole, passes a batch on, or runs a single call.

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

/// Handles a message, and appends its response to `out`. Returns false if it gets no response.
#[inline]
pub(super) async fn handle_bytes<S: Service>(
    engine: Engine<'_, S>,
    scratch_pool: &ScratchPool<S>,
    message: &[u8],
    out: &mut Vec<u8>,
) -> bool {
    if message.len() > engine.call_context.config.limits.message_bytes {
        return engine.reject_message(out, message, Reason::TooLarge);
    }
    match std::str::from_utf8(message) {
        Ok(text) => handle_text(engine, scratch_pool, text, out).await,
        Err(_) => engine.reject_message(out, message, Reason::NotUtf8),
    }
}

/// As `handle_bytes`, for a message that is valid UTF-8.
#[inline]
pub(super) async fn handle_text<S: Service>(
    engine: Engine<'_, S>,
    scratch_pool: &ScratchPool<S>,
    text: &str,
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    // The parsed message and the responder have one lifetime, which ends with this block.
    let end = {
        let mut parsed = ParsedRequest::new();
        match parse(engine, text, &mut parsed) {
            Parsed::Single => {}
            Parsed::Batch => {
                return batch::handle(engine, scratch_pool, text, out).await;
            }
            Parsed::Rejected(reason) => return engine.reject_message(out, text.as_bytes(), reason),
        }
        match parsed.action {
            Action::Run => {}
            Action::Ignore => return false,
            Action::Reject => {
                write_rejection(&parsed.head, parsed.extras.get(), out);
                engine.observe_response(parsed.head.id(), &out[start..]);
                return true;
            }
        }
        let Some(call) = parsed.call.take() else { return false };
        let handler = RunningHandler::start(engine.call_context.scope);
        let responder = Responder::new(
            ResponseBuffer::Borrowed(out),
            Context::new(&parsed.head, engine.call_context, &handler, parsed.extras.take()),
        );
        let mut run = pin!(Some(engine.service.run(call, responder)));
        match poll_fn(|task| Poll::Ready(run::poll(run.as_mut(), task))).await {
            Poll::Ready(end) => end,
            Poll::Pending => run::run_to_end(engine, &parsed.head, run).await,
        }
    };
    if end.is_err() || engine.call_context.observer.is_some() {
        write_abort_and_observe(engine, text, end, out, start);
    }
    out.len() > start
}

/// Writes the response of an aborted call in place of its own, and shows the response to the observer.
#[cold]
fn write_abort_and_observe<S: Service>(
    engine: Engine<'_, S>,
    text: &str,
    end: CallEnd,
    out: &mut Vec<u8>,
    start: usize,
) {
    let head = CallHead::from_message(Message::read(text));
    if let Err(aborted) = end {
        out.truncate(start);
        run::write_abort_response(engine, &head, aborted, out);
    }
    if out.len() > start {
        engine.observe_response(head.id(), &out[start..]);
    }
}

/// The result of `parse`.
enum Parsed {
    /// A single message, which is classified.
    Single,
    /// A batch, none of which is parsed yet.
    Batch,
    Rejected(Reason),
}

/// Checks the size and depth of a message, and classifies it if it is not a batch. With an observer, messages
/// are parsed by `strict` only, which shows them.
#[inline]
fn parse<'de, S: Service>(engine: Engine<'de, S>, text: &'de str, parsed: &mut ParsedRequest<'de, S>) -> Parsed {
    if text.len() > engine.call_context.config.limits.message_bytes {
        return Parsed::Rejected(Reason::TooLarge);
    }
    let mut cursor = Cursor::new(text, 0);
    cursor.skip_space();
    if cursor.peek() == Some(b'[') {
        return Parsed::Batch;
    }
    if is_deeper(text, engine.call_context.config.limits.depth) {
        return Parsed::Rejected(Reason::TooDeep);
    }
    if engine.call_context.observer.is_none() {
        match parsed.fast(engine.service, &mut cursor) {
            FastResult::Done if cursor.is_at_end() => return Parsed::Single,
            FastResult::Truncated => return Parsed::Rejected(Reason::NotJson),
            FastResult::Done | FastResult::Fallback => discard(parsed.call.take()),
        }
    }
    *parsed = ParsedRequest::strict(engine, Message::read_with_extra(text), text.as_bytes());
    Parsed::Single
}
