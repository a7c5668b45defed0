//! Messages for the service that have not begun: in order of arrival, and no more than may wait.

use crate::server::Service;
use crate::wire::cursor::Cursor;
use crate::wire::{ErrorObject, Id, Incoming, Message, Response, write_error};
use std::collections::VecDeque;

/// What waits to begin.
pub(super) struct Inbox {
    messages: VecDeque<QueuedMessage>,
    /// How long they are together.
    bytes: usize,
    most: usize,
    /// Of a batch with more members nothing runs.
    most_members: usize,
    /// Whether the service has a method that runs alone.
    has_exclusive: bool,
}

/// A message that waits.
pub(super) struct QueuedMessage {
    pub(super) message: Vec<u8>,
    /// The ids of the calls in it that were given up, if it is a batch.
    pub(super) given_up: Vec<Id<'static>>,
    /// Whether it is a single one, and the ids of its calls, once somebody has asked.
    ids: Option<(bool, Vec<Id<'static>>)>,
    /// Whether it runs alone, once somebody has asked.
    is_exclusive: Option<bool>,
}

/// Why a message cannot wait.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// Its calls get this answer.
    Busy(Vec<u8>),
    /// It has no calls that could be told.
    Flood,
}

impl Inbox {
    pub(super) fn of(service: &impl Service, most: usize, most_members: usize) -> Self {
        let mut has_exclusive = false;
        service.for_each_method(&mut |method| has_exclusive |= method.is_exclusive());
        Inbox { messages: VecDeque::new(), bytes: 0, most, most_members, has_exclusive }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.messages.len() >= self.most
    }

    /// How long the messages are together.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a message, if it may wait: if there is room.
    pub(super) fn push(&mut self, message: Vec<u8>, has_room: bool) -> Result<(), Full> {
        if has_room && !self.is_full() {
            self.bytes += message.len();
            self.messages.push_back(QueuedMessage { message, given_up: Vec::new(), ids: None, is_exclusive: None });
            return Ok(());
        }
        let busy = ErrorObject::new(ErrorObject::SERVER_ERROR, "Too many calls");
        Err(refusal(&message, self.most_members, &busy).map_or(Full::Flood, Full::Busy))
    }

    /// Whether the next one runs alone. `None` when there is none.
    pub(super) fn next_is_exclusive(&mut self, service: &impl Service) -> Option<bool> {
        let most = self.most_members;
        let QueuedMessage { message, is_exclusive: known, .. } = self.messages.front_mut()?;
        Some(self.has_exclusive && *known.get_or_insert_with(|| is_exclusive(message, most, service)))
    }

    pub(super) fn pop(&mut self) -> Option<QueuedMessage> {
        let next = self.messages.pop_front()?;
        self.bytes -= next.message.len();
        Some(next)
    }

    /// Takes out the calls of these ids that have not begun, and gives their ids; members of batches are marked.
    pub(super) fn cancel(&mut self, ids: &[Id<'static>]) -> Vec<Id<'static>> {
        let (mut cancelled, most) = (Vec::new(), self.most_members);
        self.messages.retain_mut(|waiting| {
            let (is_single, own) = waiting.ids.get_or_insert_with(|| ids_of(&waiting.message, most));
            let (is_single, of) = (*is_single, own.iter().filter(|id| ids.contains(id)));
            let before = cancelled.len();
            for id in of {
                if is_single {
                    cancelled.push(id.clone());
                } else if !waiting.given_up.contains(id) {
                    waiting.given_up.push(id.clone());
                }
            }
            cancelled.len() == before
        });
        self.bytes = self.messages.iter().map(|waiting| waiting.message.len()).sum();
        cancelled
    }
}

/// Whether a message is a single one, and the ids of its calls.
fn ids_of(message: &[u8], most: usize) -> (bool, Vec<Id<'static>>) {
    let own = |message: Message<'_>| match message {
        Message::Request(request) => Some(request.id.into_owned()),
        Message::Notification(_) | Message::Response(_) | Message::Invalid(_) => None,
    };
    match Incoming::read_up_to(message, most) {
        Err(single) => (true, own(single).into_iter().collect()),
        Ok(members) => (false, members.into_iter().filter_map(|(member, _)| own(member)).collect()),
    }
}

fn is_exclusive(message: &[u8], most: usize, service: &impl Service) -> bool {
    let Ok(text) = std::str::from_utf8(message) else { return false };
    let is = |method: &str| service.find(method).is_some_and(|method| service.info(method).is_exclusive());
    let mut cursor = Cursor::new(text, 0);
    if cursor.head().is_some() {
        return is(cursor.method());
    }
    let messages = Incoming::read_up_to(message, most).unwrap_or_else(|single| vec![(single, text)]);
    messages.iter().any(|(message, _)| match message {
        Message::Request(request) => is(&request.method),
        Message::Notification(notification) => is(&notification.method),
        Message::Response(_) | Message::Invalid(_) => false,
    })
}

/// What the calls of a message are refused with; `None` when there is none to tell. A batch with more than `most` members
/// is refused as a whole.
pub(super) fn refusal(message: &[u8], most: usize, error: &ErrorObject) -> Option<Vec<u8>> {
    let mut response = Vec::new();
    match Incoming::read_up_to(message, most) {
        Err(single) => refuse(&single, error, &mut response),
        Ok(members) => {
            for (member, _) in members {
                let end = response.len();
                response.push(if end == 0 { b'[' } else { b',' });
                refuse(&member, error, &mut response);
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

fn refuse(message: &Message<'_>, error: &ErrorObject, response: &mut Vec<u8>) {
    match message {
        Message::Request(request) => write_error(response, request.id.as_token(), error),
        // What is no message costs no call; it is answered as ever.
        Message::Invalid(invalid) => {
            if let Some(Response { id, outcome: Err(error) }) = invalid.to_response() {
                write_error(response, id.as_token(), &error);
            }
        }
        Message::Notification(_) | Message::Response(_) => {}
    }
}
