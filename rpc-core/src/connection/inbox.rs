//! Messages for the service that have not started: in the order of their arrival, up to a limit.

use crate::server::Service;
use crate::wire::cursor::Cursor;
use crate::wire::{ErrorObject, Id, Incoming, Message, Response, write_error};
use std::collections::VecDeque;

/// The queue of messages that have not started.
pub(super) struct Inbox {
    messages: VecDeque<QueuedMessage>,
    /// The bytes of all messages.
    bytes: usize,
    max_messages: usize,
    /// A batch with more members is rejected as a whole.
    max_members: usize,
    /// `true` if the service has an exclusive method.
    has_exclusive: bool,
}

/// A message that has not started.
pub(super) struct QueuedMessage {
    pub(super) message: Vec<u8>,
    /// The ids of the calls of a batch that were cancelled.
    pub(super) cancelled: Vec<Id<'static>>,
    /// `true` for a single message, and the ids of its calls. Filled by the first cancel.
    ids: Option<(bool, Vec<Id<'static>>)>,
    /// `true` if it calls an exclusive method. Filled when it is first.
    is_exclusive: Option<bool>,
}

/// The reason why a message is not queued.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rejected {
    /// Its calls get this response.
    Busy(Vec<u8>),
    /// It has no call that could get an error.
    Flood,
}

impl Inbox {
    pub(super) fn new(service: &impl Service, max_messages: usize, max_members: usize) -> Self {
        let mut has_exclusive = false;
        service.for_each_method(&mut |method| has_exclusive |= method.is_exclusive());
        Inbox { messages: VecDeque::new(), bytes: 0, max_messages, max_members, has_exclusive }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.messages.len() >= self.max_messages
    }

    /// Returns the bytes of all messages.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a message if the queue is not full and `has_room` is true.
    pub(super) fn push(&mut self, message: Vec<u8>, has_room: bool) -> Result<(), Rejected> {
        if has_room && !self.is_full() {
            self.bytes += message.len();
            self.messages.push_back(QueuedMessage { message, cancelled: Vec::new(), ids: None, is_exclusive: None });
            return Ok(());
        }
        let busy = ErrorObject::new(ErrorObject::SERVER_ERROR, "Too many calls");
        Err(rejection(&message, self.max_members, &busy).map_or(Rejected::Flood, Rejected::Busy))
    }

    /// Returns whether the next message calls an exclusive method; `None` if the queue is empty.
    pub(super) fn next_is_exclusive(&mut self, service: &impl Service) -> Option<bool> {
        let max_members = self.max_members;
        let QueuedMessage { message, is_exclusive: known, .. } = self.messages.front_mut()?;
        Some(self.has_exclusive && *known.get_or_insert_with(|| is_exclusive(message, max_members, service)))
    }

    pub(super) fn pop(&mut self) -> Option<QueuedMessage> {
        let next = self.messages.pop_front()?;
        self.bytes -= next.message.len();
        Some(next)
    }

    /// Removes the single calls of these ids and returns their ids. Members of batches are marked.
    pub(super) fn cancel(&mut self, ids: &[Id<'static>]) -> Vec<Id<'static>> {
        let (mut removed, max_members) = (Vec::new(), self.max_members);
        self.messages.retain_mut(|queued| {
            let (is_single, calls) = queued.ids.get_or_insert_with(|| call_ids(&queued.message, max_members));
            let (is_single, matching) = (*is_single, calls.iter().filter(|id| ids.contains(id)));
            let before = removed.len();
            for id in matching {
                if is_single {
                    removed.push(id.clone());
                } else if !queued.cancelled.contains(id) {
                    queued.cancelled.push(id.clone());
                }
            }
            removed.len() == before
        });
        self.bytes = self.messages.iter().map(|queued| queued.message.len()).sum();
        removed
    }
}

/// Returns whether a message is a single one, and the ids of its calls.
fn call_ids(message: &[u8], max_members: usize) -> (bool, Vec<Id<'static>>) {
    let call_id = |message: Message<'_>| match message {
        Message::Request(request) => Some(request.id.into_owned()),
        Message::Notification(_) | Message::Response(_) | Message::Invalid(_) => None,
    };
    match Incoming::read_up_to(message, max_members) {
        Err(single) => (true, call_id(single).into_iter().collect()),
        Ok(members) => (false, members.into_iter().filter_map(|(member, _)| call_id(member)).collect()),
    }
}

fn is_exclusive(message: &[u8], max_members: usize, service: &impl Service) -> bool {
    let Ok(text) = std::str::from_utf8(message) else { return false };
    let is = |method: &str| service.find(method).is_some_and(|method| service.info(method).is_exclusive());
    let mut cursor = Cursor::new(text, 0);
    if cursor.head().is_some() {
        return is(cursor.method());
    }
    let messages = Incoming::read_up_to(message, max_members).unwrap_or_else(|single| vec![(single, text)]);
    messages.iter().any(|(message, _)| match message {
        Message::Request(request) => is(&request.method),
        Message::Notification(notification) => is(&notification.method),
        Message::Response(_) | Message::Invalid(_) => false,
    })
}

/// Returns the response that rejects the calls of a message with `error`; `None` if the message gets none. A batch with
/// more than `max_members` members is rejected as a whole.
pub(super) fn rejection(message: &[u8], max_members: usize, error: &ErrorObject) -> Option<Vec<u8>> {
    let mut response = Vec::new();
    match Incoming::read_up_to(message, max_members) {
        Err(single) => reject(&single, error, &mut response),
        Ok(members) => {
            for (member, _) in members {
                let end = response.len();
                response.push(if end == 0 { b'[' } else { b',' });
                reject(&member, error, &mut response);
                if response.len() == end + 1 {
                    response.truncate(end);
                }
            }
            if !response.is_empty() {
                response.push(b']');
            }
        }
    }
    (!response.is_empty()).then_some(response)
}

fn reject(message: &Message<'_>, error: &ErrorObject, response: &mut Vec<u8>) {
    match message {
        Message::Request(request) => write_error(response, request.id.as_token(), error),
        // An invalid message takes no room, so it gets the error that it always gets.
        Message::Invalid(invalid) => {
            if let Some(Response { id, outcome: Err(error) }) = invalid.to_response() {
                write_error(response, id.as_token(), &error);
            }
        }
        Message::Notification(_) | Message::Response(_) => {}
    }
}
