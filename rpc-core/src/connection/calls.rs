//! The calls of the other side, from their arrival to their answers.

use super::builder::Limits;
use super::inbox::{Full, Inbox, Waiting, refusal};
use super::sort::For;
use crate::error::{CloseReason, DropReason};
use crate::observe::{Event, show};
use crate::peer::{Lent, Shared};
use crate::server::{Connected, Scope, Server, Service, Slots};
use crate::wire::{ErrorObject, Id, Incoming, Message, write_error};
use std::sync::Arc;
use std::task::{Context, Poll};

/// Buffers that are kept for the next calls: how many, and how large.
const SPARE: usize = 64;
const SPARE_BYTES: usize = 64 << 10;

/// How much larger than a message its buffer may be while it waits or runs.
const WASTE: usize = 4 << 10;

/// The calls of the other side: those that wait to begin, and those that run.
pub(super) struct Calls<'c, S: Service, F, M> {
    server: &'c Server<S>,
    connected: &'c Connected,
    shared: &'c Arc<Shared>,
    limits: Limits,
    inbox: Inbox,
    slots: Slots<F>,
    /// Makes the future that answers a message.
    make: M,
    /// How long the messages are together whose calls run.
    running_bytes: usize,
    /// Those that run alone, by their slots.
    exclusive: Vec<(usize, Arc<Lent>)>,
    /// Whether the other side had left more unread than there is room for, when something was written last.
    pub(super) is_unread: bool,
    ended: Vec<(usize, Done)>,
    spare: Vec<Done>,
}

/// A message that was answered, with the buffers that it took.
pub(super) struct Done {
    message: Vec<u8>,
    answer: Vec<u8>,
}

/// Answers one message, or several in a batch.
pub(super) async fn one<S: Service>(scope: Scope<'_>, server: &Server<S>, Done { message, mut answer }: Done) -> Done {
    server.answer_over(&scope, &message, &mut answer).await;
    Done { message, answer }
}

impl<'c, S: Service, F: Future<Output = Done>, M: Fn(Done, Arc<Lent>, Vec<Id<'static>>) -> F> Calls<'c, S, F, M> {
    /// None yet; `make` makes the future that answers a message.
    pub(super) fn new(server: &'c Server<S>, connected: &'c Connected, make: M, limits: Limits) -> Self {
        Calls {
            server,
            connected,
            shared: &connected.shared,
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
        let Calls { slots, ended, .. } = self;
        slots.poll_woken(context, |slot, done| ended.push((slot, done)));
        for (slot, done) in std::mem::take(&mut self.ended) {
            self.answer(slot, done);
        }
    }

    fn answer(&mut self, slot: usize, mut done: Done) {
        self.exclusive.retain(|(exclusive, _)| *exclusive != slot);
        self.running_bytes -= done.message.len();
        if !done.answer.is_empty() {
            self.shared.answer(&done.answer);
        }
        if self.spare.len() < SPARE && done.answer.capacity() + done.message.capacity() < SPARE_BYTES {
            done.answer.clear();
            self.spare.push(done);
        }
    }

    /// Takes a message as it was read, and gives a buffer for the next, which is not large.
    pub(super) fn take(&mut self, message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        self.sort(message).map(|spare| if spare.capacity() > SPARE_BYTES { Vec::new() } else { spare })
    }

    fn sort(&mut self, message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        let is_watched = self.server.observer().is_some();
        match For::of(
            &message,
            &self.shared.profile,
            self.server.most_members(),
            || self.shared.open_calls(),
            is_watched,
        ) {
            For::Service if self.limits.serves || self.is_asked(&message) => return self.queue(message),
            For::Service => {}
            For::Call(number) => {
                let text = std::str::from_utf8(&message).unwrap_or_default();
                if !self.shared.receive_reply(number, text) {
                    self.shared.receive(&message);
                }
            }
            For::Calls => {
                if let Some(other) = self.shared.receive(&message) {
                    return self.queue(other);
                }
            }
            For::Several { replies, rest, cancels } => {
                if let Some(other) = replies.and_then(|replies| self.shared.receive(&replies)) {
                    self.queue(other)?;
                }
                let spare = rest.map_or(Ok(message), |rest| self.queue(rest));
                self.cancel(&cancels);
                return spare;
            }
            For::Cancel(id) => self.cancel(&[id]),
        }
        Ok(message)
    }

    /// Whether a message asks for anything, on a side that serves nothing.
    fn is_asked(&self, message: &[u8]) -> bool {
        if message.len() > self.server.limits().message {
            return true;
        }
        let Incoming::Message(Message::Invalid(invalid)) = Incoming::read(message) else { return true };
        if let Some(observer) = self.server.observer() {
            show(Some(&**observer), &Event::Dropped { reason: &DropReason::Invalid(invalid), text: message });
        }
        false
    }

    fn queue(&mut self, mut message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        if self.shared.is_stopping() {
            if self.is_unread {
                return Err(CloseReason::NotRead);
            }
            let error = ErrorObject::new(ErrorObject::SERVER_ERROR, "Shutting down");
            if let Some(answer) = refusal(&message, self.server.most_members(), &error) {
                self.shared.answer(&answer);
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
            Err(Full::Busy(answer)) => {
                self.shared.answer(&answer);
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
            self.connected.cancel(id);
        }
        for id in self.inbox.cancel(ids) {
            if let Some(error) = self.shared.profile.cancelled_error() {
                let mut answer = Vec::new();
                write_error(&mut answer, id.as_token(), &error);
                self.shared.answer(&answer);
            }
        }
    }

    /// Begins what may begin, in order. A method that waits for the other side does not count as running.
    pub(super) fn start(&mut self) {
        while !self.shared.is_full() {
            let Some(is_exclusive) = self.inbox.next_is_exclusive(self.server.service()) else { return };
            let running = self.slots.running().saturating_sub(self.shared.waiting_handlers());
            let is_held_up = self.exclusive.iter().any(|(_, lent)| !lent.is_waiting());
            if is_held_up || running >= self.limits.running || (is_exclusive && running > 0) {
                return;
            }
            let Some(Waiting { message, given_up, .. }) = self.inbox.pop() else { return };
            self.running_bytes += message.len();
            let lent = Arc::new(Lent::of(self.shared.clone()));
            let answer = self.spare.pop().map(|spare| spare.answer).unwrap_or_default();
            let (slot, poll) = self.slots.start((self.make)(Done { message, answer }, lent.clone(), given_up));
            match poll {
                Poll::Ready(done) => self.answer(slot, done),
                Poll::Pending if is_exclusive => self.exclusive.push((slot, lent)),
                Poll::Pending => {}
            }
        }
    }
}
