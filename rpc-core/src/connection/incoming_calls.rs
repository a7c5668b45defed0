//! The peer's calls, from their arrival to their responses.

use super::inbox::{Inbox, QueuedMessage, Rejected, rejection};
use super::route::Route;
use crate::error::{CloseReason, DiscardReason};
use crate::limits::ConnectionLimits;
use crate::observe::{EventKind, ObserverRef};
use crate::peer::{BlockedHandlers, Shared};
use crate::server::{ConnectionScope, Scope, Server, Service, Slots};
use crate::wire::{ErrorObject, Id, Incoming, Message, write_error};
use std::sync::Arc;
use std::task::{Context, Poll};

/// The number and the size, in bytes, of buffers that are kept for the next calls.
const MAX_SPARE: usize = 64;
const MAX_SPARE_BYTES: usize = 64 << 10;

/// The unused bytes that the buffer of a queued or running message may have.
const MAX_WASTE: usize = 4 << 10;

/// The peer's calls, queued and running.
pub(super) struct IncomingCalls<'c, S: Service, F, M> {
    server: &'c Server<S>,
    connection: &'c ConnectionScope,
    shared: &'c Arc<Shared>,
    limits: ConnectionLimits,
    has_service: bool,
    inbox: Inbox,
    slots: Slots<F>,
    /// Makes the future that runs a message.
    start: M,
    /// The bytes of the messages whose calls run.
    running_bytes: usize,
    /// The exclusive messages that run, by their slots.
    exclusive: Vec<(usize, Arc<BlockedHandlers>)>,
    /// `true` if the last write left more unsent bytes than the limit.
    pub(super) is_unread: bool,
    finished: Vec<(usize, Buffers)>,
    spare: Vec<Buffers>,
}

/// A message and the buffer of its response.
pub(super) struct Buffers {
    message: Vec<u8>,
    response: Vec<u8>,
}

/// Runs the calls of one message, and writes their response.
pub(super) async fn run_message<S: Service>(scope: Scope<'_>, server: &Server<S>, buffers: Buffers) -> Buffers {
    let Buffers { message, mut response } = buffers;
    server.handle_in_scope(&scope, &message, &mut response).await;
    Buffers { message, response }
}

impl<'c, S, F, M> IncomingCalls<'c, S, F, M>
where
    S: Service,
    F: Future<Output = Buffers>,
    M: Fn(Buffers, Arc<BlockedHandlers>, Vec<Id<'static>>) -> F,
{
    /// Returns an empty set; `start` makes the future that runs a message.
    pub(super) fn new(
        server: &'c Server<S>,
        connection: &'c ConnectionScope,
        start: M,
        limits: ConnectionLimits,
        has_service: bool,
    ) -> Self {
        IncomingCalls {
            server,
            connection,
            shared: &connection.shared,
            limits,
            has_service,
            inbox: Inbox::new(server.service(), limits.queued, server.max_members()),
            slots: Slots::new(),
            start,
            running_bytes: 0,
            exclusive: Vec::new(),
            is_unread: false,
            finished: Vec::new(),
            spare: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.inbox.is_empty() && self.slots.is_empty()
    }

    /// Polls the calls that were woken, and sends the responses of those that are done.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) {
        let IncomingCalls { slots, finished, .. } = self;
        slots.poll_woken(context, |slot, buffers| finished.push((slot, buffers)));
        for (slot, buffers) in std::mem::take(&mut self.finished) {
            self.respond(slot, buffers);
        }
    }

    fn respond(&mut self, slot: usize, mut buffers: Buffers) {
        self.exclusive.retain(|(exclusive, _)| *exclusive != slot);
        self.running_bytes -= buffers.message.len();
        if !buffers.response.is_empty() {
            self.shared.send_response(&buffers.response);
        }
        let bytes = buffers.response.capacity() + buffers.message.capacity();
        if self.spare.len() < MAX_SPARE && bytes < MAX_SPARE_BYTES {
            buffers.response.clear();
            self.spare.push(buffers);
        }
    }

    /// Accepts a message that was read, and returns a small buffer for the next one.
    pub(super) fn accept(&mut self, message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        self.route(message).map(|spare| if spare.capacity() > MAX_SPARE_BYTES { Vec::new() } else { spare })
    }

    fn route(&mut self, message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        let is_observed = self.server.shared_observer().is_some();
        match Route::new(
            &message,
            &self.shared.profile,
            self.server.max_members(),
            || self.shared.pending_calls(),
            is_observed,
        ) {
            Route::Service if self.has_service || self.needs_response(&message) => return self.queue(message),
            Route::Service => {}
            Route::Call(number) => {
                let text = std::str::from_utf8(&message).unwrap_or_default();
                if !self.shared.complete(number, text) {
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

    /// Returns whether a message to a client needs a response. An invalid one is discarded.
    fn needs_response(&self, message: &[u8]) -> bool {
        if message.len() > self.server.limits().message_bytes {
            return true;
        }
        let Incoming::Message(Message::Invalid(invalid)) = Incoming::read(message) else { return true };
        let observer = ObserverRef::new(self.server.shared_observer(), Some(self.shared.id()));
        observer.show(EventKind::Discarded { reason: &DiscardReason::Invalid(invalid), text: message });
        false
    }

    fn queue(&mut self, mut message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        if self.shared.is_shutting_down() {
            if self.is_unread {
                return Err(CloseReason::NotRead);
            }
            let error = ErrorObject::new(ErrorObject::SERVER_ERROR, "Shutting down");
            if let Some(response) = rejection(&message, self.server.max_members(), &error) {
                self.shared.send_response(&response);
            }
            return Ok(message);
        }
        if self.inbox.is_full() || !self.has_room() {
            // Queued messages may be waiting only for the end of this turn.
            self.start();
        }
        // `queued_bytes` counts lengths, so the capacity must stay close to them.
        if message.capacity() - message.len() > MAX_WASTE {
            message.shrink_to_fit();
        }
        let has_room = self.has_room();
        match self.inbox.push(message, has_room) {
            Ok(()) => Ok(self.spare.last_mut().map(|spare| std::mem::take(&mut spare.message)).unwrap_or_default()),
            // A peer that keeps sending requests without reading responses would get them without end.
            Err(Rejected::Busy(_)) if self.is_unread => Err(CloseReason::NotRead),
            Err(Rejected::Busy(response)) => {
                self.shared.send_response(&response);
                Ok(Vec::new())
            }
            Err(Rejected::Flood) => Err(CloseReason::Flooded),
        }
    }

    /// Returns whether the byte limit leaves room for one more message.
    fn has_room(&self) -> bool {
        self.inbox.bytes() + self.running_bytes < self.limits.queued_bytes
    }

    /// Cancels the running and queued calls of these ids.
    fn cancel(&mut self, ids: &[Id<'static>]) {
        for id in ids {
            self.connection.cancel(id);
        }
        for id in self.inbox.cancel(ids) {
            if let Some(error) = self.shared.profile.cancelled_error() {
                let mut response = Vec::new();
                write_error(&mut response, id.as_token(), &error);
                self.shared.send_response(&response);
            }
        }
    }

    /// Starts queued messages in order, as far as the limits allow. A handler that waits for a call of its own does not
    /// count as running.
    pub(super) fn start(&mut self) {
        while !self.shared.is_full() {
            let Some(is_exclusive) = self.inbox.next_is_exclusive(self.server.service()) else { return };
            let running = self.slots.running().saturating_sub(self.shared.blocked_messages());
            let is_blocked = self.exclusive.iter().any(|(_, handlers)| !handlers.are_blocked());
            if is_blocked || running >= self.limits.running || (is_exclusive && running > 0) {
                return;
            }
            let Some(QueuedMessage { message, cancelled, .. }) = self.inbox.pop() else { return };
            self.running_bytes += message.len();
            let blocked = Arc::new(BlockedHandlers::new(self.shared.clone()));
            let response = self.spare.pop().map(|spare| spare.response).unwrap_or_default();
            let buffers = Buffers { message, response };
            let (slot, poll) = self.slots.start((self.start)(buffers, blocked.clone(), cancelled));
            match poll {
                Poll::Ready(buffers) => self.respond(slot, buffers),
                Poll::Pending if is_exclusive => self.exclusive.push((slot, blocked)),
                Poll::Pending => {}
            }
        }
    }
}
