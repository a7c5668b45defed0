//! The calls of the other side, from their arrival to their answers.

use super::builder::Limits;
use super::inbox::{Full, Inbox, QueuedMessage, refusal};
use super::route::Route;
use crate::error::{CloseReason, DiscardReason};
use crate::observe::{Event, show};
use crate::peer::{BlockedHandlers, Shared};
use crate::server::{ConnectionScope, Scope, Server, Service, Slots};
use crate::wire::{ErrorObject, Id, Incoming, Message, write_error};
use std::sync::Arc;
use std::task::{Context, Poll};

/// Buffers that are kept for the next calls: how many, and how large.
const SPARE: usize = 64;
const SPARE_BYTES: usize = 64 << 10;

/// How much larger than a message its buffer may be while it waits or runs.
const WASTE: usize = 4 << 10;

/// The calls of the other side: those that wait to begin, and those that run.
pub(super) struct IncomingCalls<'c, S: Service, F, M> {
    server: &'c Server<S>,
    connection: &'c ConnectionScope,
    shared: &'c Arc<Shared>,
    limits: Limits,
    inbox: Inbox,
    slots: Slots<F>,
    /// Makes the future that answers a message.
    make: M,
    /// How long the messages are together whose calls run.
    running_bytes: usize,
    /// Those that run alone, by their slots.
    exclusive: Vec<(usize, Arc<BlockedHandlers>)>,
    /// Whether the other side had left more unread than there is room for, when something was written last.
    pub(super) is_unread: bool,
    ended: Vec<(usize, MessageBuffers)>,
    spare: Vec<MessageBuffers>,
}

/// A message that was answered, with the buffers that it took.
pub(super) struct MessageBuffers {
    message: Vec<u8>,
    response: Vec<u8>,
}

/// Answers one message, or several in a batch.
pub(super) async fn one<S: Service>(
    scope: Scope<'_>,
    server: &Server<S>,
    MessageBuffers { message, mut response }: MessageBuffers,
) -> MessageBuffers {
    server.answer_over(&scope, &message, &mut response).await;
    MessageBuffers { message, response }
}

impl<
    'c,
    S: Service,
    F: Future<Output = MessageBuffers>,
    M: Fn(MessageBuffers, Arc<BlockedHandlers>, Vec<Id<'static>>) -> F,
> IncomingCalls<'c, S, F, M>
{
    /// None yet; `make` makes the future that answers a message.
    pub(super) fn new(server: &'c Server<S>, connection: &'c ConnectionScope, make: M, limits: Limits) -> Self {
        IncomingCalls {
            server,
            connection,
            shared: &connection.shared,
            limits,
            inbox: Inbox::of(server.service(), limits.waiting, server.most_members()),
            slots: Slots::new(),
            make,
            running_bytes: 0,
            exclusive: Vec::new(),
            is_unread: false,
            ended: Vec::new(),
            spare: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.inbox.is_empty() && self.slots.is_empty()
    }

    /// Polls what was woken, and sends the answers.
    pub(super) fn finish(&mut self, context: &mut Context<'_>) {
        let IncomingCalls { slots, ended, .. } = self;
        slots.poll_woken(context, |slot, done| ended.push((slot, done)));
        for (slot, done) in std::mem::take(&mut self.ended) {
            self.response(slot, done);
        }
    }

    fn response(&mut self, slot: usize, mut done: MessageBuffers) {
        self.exclusive.retain(|(exclusive, _)| *exclusive != slot);
        self.running_bytes -= done.message.len();
        if !done.response.is_empty() {
            self.shared.response(&done.response);
        }
        if self.spare.len() < SPARE && done.response.capacity() + done.message.capacity() < SPARE_BYTES {
            done.response.clear();
            self.spare.push(done);
        }
    }

    /// Takes a message as it was read, and gives a buffer for the next, which is not large.
    pub(super) fn take(&mut self, message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        self.sort(message).map(|spare| if spare.capacity() > SPARE_BYTES { Vec::new() } else { spare })
    }

    fn sort(&mut self, message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        let is_watched = self.server.shared_observer().is_some();
        match Route::of(
            &message,
            &self.shared.profile,
            self.server.most_members(),
            || self.shared.pending_calls(),
            is_watched,
        ) {
            Route::Service if self.limits.serves || self.is_asked(&message) => return self.queue(message),
            Route::Service => {}
            Route::Call(number) => {
                let text = std::str::from_utf8(&message).unwrap_or_default();
                if !self.shared.receive_reply(number, text) {
                    self.shared.receive(&message);
                }
            }
            Route::Calls => {
                if let Some(other) = self.shared.receive(&message) {
                    return self.queue(other);
                }
            }
            Route::Mixed { responses, rest, cancels } => {
                if let Some(other) = responses.and_then(|responses| self.shared.receive(&responses)) {
                    self.queue(other)?;
                }
                let spare = rest.map_or(Ok(message), |rest| self.queue(rest));
                self.cancel(&cancels);
                return spare;
            }
            Route::Cancel(id) => self.cancel(&[id]),
        }
        Ok(message)
    }

    /// Whether a message asks for anything, on a side that serves nothing.
    fn is_asked(&self, message: &[u8]) -> bool {
        if message.len() > self.server.limits().message {
            return true;
        }
        let Incoming::Message(Message::Invalid(invalid)) = Incoming::read(message) else { return true };
        if let Some(observer) = self.server.shared_observer() {
            show(Some(&**observer), &Event::Discarded { reason: &DiscardReason::Invalid(invalid), text: message });
        }
        false
    }

    fn queue(&mut self, mut message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        if self.shared.is_shutting_down() {
            if self.is_unread {
                return Err(CloseReason::NotRead);
            }
            let error = ErrorObject::new(ErrorObject::SERVER_ERROR, "Shutting down");
            if let Some(response) = refusal(&message, self.server.most_members(), &error) {
                self.shared.response(&response);
            }
            return Ok(message);
        }
        if self.inbox.is_full() || !self.has_room() {
            // Some of it may only wait for the end of this turn.
            self.start();
        }
        // Bytes are counted by length.
        if message.capacity() - message.len() > WASTE {
            message.shrink_to_fit();
        }
        let has_room = self.has_room();
        match self.inbox.push(message, has_room) {
            Ok(()) => Ok(self.spare.last_mut().map(|spare| std::mem::take(&mut spare.message)).unwrap_or_default()),
            // Who asks on and on and does not read what it is answered would be answered without end.
            Err(Full::Busy(_)) if self.is_unread => Err(CloseReason::NotRead),
            Err(Full::Busy(response)) => {
                self.shared.response(&response);
                Ok(Vec::new())
            }
            Err(Full::Flood) => Err(CloseReason::Flooded),
        }
    }

    /// Whether what is held of messages leaves room for one more.
    fn has_room(&self) -> bool {
        self.inbox.bytes() + self.running_bytes < self.limits.bytes
    }

    /// Gives up the calls under these ids, those that have not begun as well.
    fn cancel(&mut self, ids: &[Id<'static>]) {
        for id in ids {
            self.connection.cancel(id);
        }
        for id in self.inbox.cancel(ids) {
            if let Some(error) = self.shared.profile.cancelled_error() {
                let mut response = Vec::new();
                write_error(&mut response, id.as_token(), &error);
                self.shared.response(&response);
            }
        }
    }

    /// Begins what may begin, in order. A method that waits for the other side does not count as running.
    pub(super) fn start(&mut self) {
        while !self.shared.is_full() {
            let Some(is_exclusive) = self.inbox.next_is_exclusive(self.server.service()) else { return };
            let running = self.slots.running().saturating_sub(self.shared.blocked_messages());
            let is_held_up = self.exclusive.iter().any(|(_, blocked)| !blocked.is_waiting());
            if is_held_up || running >= self.limits.running || (is_exclusive && running > 0) {
                return;
            }
            let Some(QueuedMessage { message, given_up, .. }) = self.inbox.pop() else { return };
            self.running_bytes += message.len();
            let blocked = Arc::new(BlockedHandlers::of(self.shared.clone()));
            let response = self.spare.pop().map(|spare| spare.response).unwrap_or_default();
            let (slot, poll) =
                self.slots.start((self.make)(MessageBuffers { message, response }, blocked.clone(), given_up));
            match poll {
                Poll::Ready(done) => self.response(slot, done),
                Poll::Pending if is_exclusive => self.exclusive.push((slot, blocked)),
                Poll::Pending => {}
            }
        }
    }
}
