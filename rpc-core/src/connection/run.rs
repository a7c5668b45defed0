//! The one loop of a connection, for both directions.
//!
//! Replies and cancels are handled as they are read; reading waits for nothing. Requests begin in the order
//! of their arrival, each polled at once. Whatever is ready to be sent goes out as one write. Every call of
//! this side ends, at the latest with the connection; every call of the other side is answered, or dropped
//! with the connection.

use super::builder::{Connection, Settings};
use super::ends::{read, write};
use super::inbox::{Full, Inbox, Waiting, refusal};
use super::sort::For;
use crate::error::CloseReason;
use crate::peer::{Lent, Shared};
use crate::server::{Connected, Scope, Server, Service, Slots};
use crate::transport::{Messages, Sink, Source};
use crate::wire::{ErrorObject, Id, write_error};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// How many messages are read in one turn, so that a fast peer starves nobody.
const AT_ONCE: usize = 64;

/// Buffers that are kept for the next calls: how many, and how large.
const SPARE: usize = 64;
const SPARE_BYTES: usize = 64 << 10;

impl<S: Service, R: Source, W: Sink> Connection<S, R, W> {
    /// Serves and pairs until the connection ends, and says why it did.
    ///
    /// When the input ends, what was asked is answered first. When this future is dropped, the calls of this
    /// side end with [`CloseReason::Dropped`].
    pub async fn run(self) -> CloseReason {
        let Connection { server, guard, settings, source, sink } = self;
        let Settings { running, waiting, extensions, grace } = settings;
        let shared = guard.0.clone();
        let connected = Connected::new(shared.clone(), extensions);
        let limit = server.limits().message;
        let mut calls = Calls {
            server: &server,
            connected: &connected,
            shared: &shared,
            inbox: Inbox::of(server.service(), waiting),
            slots: Slots::new(),
            make: |done, lent, given_up| one(Scope { connected: &connected, lent, given_up }, &server, done),
            exclusive: Vec::new(),
            most: running,
            is_unread: false,
            ended: Vec::new(),
            spare: Vec::new(),
        };
        let mut reading = pin!(Some(read(source, Vec::new(), limit)));
        let mut writing = pin!(Some(write(sink, Messages::new())));
        let mut idle = None;
        let mut alarm = None;
        let mut ended = None;
        let (reason, sink) = poll_fn(|context| {
            shared.attend(context);
            calls.finish(context);
            let mut budget = AT_ONCE;
            while let Some(future) = reading.as_mut().as_pin_mut() {
                if budget == 0 {
                    context.waker().wake_by_ref();
                    break;
                }
                let Poll::Ready((source, message, end)) = future.poll(context) else { break };
                budget -= 1;
                match end {
                    Ok(true) => {
                        let spare = match calls.take(message) {
                            Ok(spare) => spare,
                            Err(reason) => return Poll::Ready((reason, None)),
                        };
                        reading.set(Some(read(source, spare, limit)));
                    }
                    Ok(false) => {
                        reading.set(None);
                        // No reply can come any more.
                        shared.close(CloseReason::ByPeer);
                        ended = Some(CloseReason::ByPeer);
                    }
                    Err(error) => return Poll::Ready(((&error).into(), None)),
                }
            }
            if shared.is_stopping() && alarm.is_none() {
                alarm = Some(grace.as_ref().map(|(timer, duration)| timer.sleep(*duration)));
                ended.get_or_insert(CloseReason::ByUs);
            }
            loop {
                calls.start();
                if let Some(future) = writing.as_mut().as_pin_mut() {
                    let Poll::Ready((sink, mut messages, written)) = future.poll(context) else {
                        calls.is_unread = shared.is_full();
                        break;
                    };
                    calls.is_unread = false;
                    writing.set(None);
                    if let Err(error) = written {
                        return Poll::Ready(((&error).into(), None));
                    }
                    messages.clear();
                    idle = Some((sink, messages));
                }
                let Some((sink, mut messages)) = idle.take() else { break };
                if !shared.take_outbox(&mut messages) {
                    idle = Some((sink, messages));
                    break;
                }
                writing.set(Some(write(sink, messages)));
            }
            let is_over = match &mut alarm {
                Some(Some(sleep)) => sleep.as_mut().poll(context).is_ready(),
                _ => false,
            };
            match &ended {
                Some(reason) if is_over || (calls.is_empty() && idle.is_some()) => {
                    Poll::Ready((reason.clone(), idle.take().map(|(sink, _)| sink)))
                }
                _ => Poll::Pending,
            }
        })
        .await;
        let reason = shared.close(reason);
        // Closing may take its time.
        drop(calls);
        if let Some(mut sink) = sink {
            sink.close().await;
        }
        reason
    }
}

/// The calls of the other side: those that wait to begin, and those that run.
struct Calls<'c, S: Service, F, M> {
    server: &'c Server<S>,
    connected: &'c Connected,
    shared: &'c Arc<Shared>,
    inbox: Inbox,
    slots: Slots<F>,
    /// Makes the future that answers a message.
    make: M,
    /// Those that run alone, by their slots.
    exclusive: Vec<(usize, Arc<Lent>)>,
    /// How many may run at once.
    most: usize,
    /// Whether the other side had left more unread than there is room for, when something was written last.
    is_unread: bool,
    ended: Vec<(usize, Done)>,
    spare: Vec<Done>,
}

/// A message that was answered, with the buffers that it took.
struct Done {
    message: Vec<u8>,
    answer: Vec<u8>,
}

/// Answers one message, or several in a batch.
async fn one<S: Service>(scope: Scope<'_>, server: &Server<S>, Done { message, mut answer }: Done) -> Done {
    server.answer_over(&scope, &message, &mut answer).await;
    Done { message, answer }
}

impl<S: Service, F: Future<Output = Done>, M: Fn(Done, Arc<Lent>, Vec<Id<'static>>) -> F> Calls<'_, S, F, M> {
    fn is_empty(&self) -> bool {
        self.inbox.is_empty() && self.slots.is_empty()
    }

    /// Polls what was woken, and sends the answers.
    fn finish(&mut self, context: &mut Context<'_>) {
        let Calls { slots, ended, .. } = self;
        slots.poll_woken(context, |slot, done| ended.push((slot, done)));
        for (slot, done) in std::mem::take(&mut self.ended) {
            self.answer(slot, done);
        }
    }

    fn answer(&mut self, slot: usize, mut done: Done) {
        self.exclusive.retain(|(exclusive, _)| *exclusive != slot);
        if !done.answer.is_empty() {
            self.shared.answer(&done.answer);
        }
        if self.spare.len() < SPARE && done.answer.capacity() + done.message.capacity() < SPARE_BYTES {
            done.answer.clear();
            self.spare.push(done);
        }
    }

    /// Takes a message as it was read, and gives a buffer for the next.
    fn take(&mut self, message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        let is_watched = self.server.observer().is_some();
        match For::of(&message, &self.shared.profile, self.server.most_members(), is_watched) {
            For::Service => return self.queue(message),
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
                for id in &cancels {
                    self.cancel(id);
                }
                return spare;
            }
            For::Cancel(id) => self.cancel(&id),
        }
        Ok(message)
    }

    fn queue(&mut self, message: Vec<u8>) -> Result<Vec<u8>, CloseReason> {
        if self.shared.is_stopping() {
            let error = ErrorObject::new(ErrorObject::SERVER_ERROR, "Shutting down");
            if let Some(answer) = refusal(&message, &error) {
                self.shared.answer(&answer);
            }
            return Ok(message);
        }
        if self.inbox.is_full() {
            // Some of it may only wait for the end of this turn.
            self.start();
        }
        match self.inbox.push(message) {
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

    /// Gives up the calls under this id, those that have not begun as well.
    fn cancel(&mut self, id: &Id<'_>) {
        self.connected.cancel(id);
        for _ in 0..self.inbox.cancel(id) {
            if let Some(error) = self.shared.profile.cancelled_error() {
                let mut answer = Vec::new();
                write_error(&mut answer, id.as_token(), &error);
                self.shared.answer(&answer);
            }
        }
    }

    /// Begins what may begin, in order. A method that waits for the other side does not count as running.
    fn start(&mut self) {
        while !self.shared.is_full() {
            let Some(is_exclusive) = self.inbox.next_is_exclusive(self.server.service()) else { return };
            let running = self.slots.running().saturating_sub(self.shared.waiting_handlers());
            let is_held_up = self.exclusive.iter().any(|(_, lent)| !lent.is_waiting());
            if is_held_up || running >= self.most || (is_exclusive && running > 0) {
                return;
            }
            let Some(Waiting { message, given_up }) = self.inbox.pop() else { return };
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
