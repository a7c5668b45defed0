//! Recorded exchanges: lines of `>> ` with a request and `<< ` with its response.

use crate::wire::{Id, Incoming, Message};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// A recorded request with its response.
pub(super) struct Exchange {
    pub(super) request: Request,
    pub(super) response: String,
    pub(super) is_replayed: bool,
}

/// The method and params of a request, compared as JSON values.
#[derive(PartialEq)]
pub(super) struct Request {
    pub(super) method: String,
    params: Params,
}

#[derive(PartialEq)]
enum Params {
    /// Absent or null.
    None,
    Json(Value),
    /// The text of JSON that a `Value` cannot hold.
    Text(String),
}

impl Params {
    fn new(params: Option<&RawValue>) -> Self {
        match params.map(|params| (params, serde_json::from_str(params.get()))) {
            None | Some((_, Ok(Value::Null))) => Params::None,
            Some((_, Ok(value))) => Params::Json(value),
            Some((params, Err(_))) => Params::Text(params.get().to_owned()),
        }
    }
}

impl Request {
    /// Returns the id and the content of a request; `None` for any other message.
    pub(super) fn from_message<'a>(message: &Message<'a>) -> Option<(Id<'a>, Self)> {
        let Message::Request(request) = message else { return None };
        let params = Params::new(request.params);
        Some((request.id.clone(), Request { method: request.method.clone().into_owned(), params }))
    }
}

/// The error of an invalid record.
///
/// ```
/// use rpc_core::mock::Mock;
///
/// let error = Mock::new().replay(r#">> {"jsonrpc":"2.0","method":"ping","id":1}"#).unwrap_err();
/// assert_eq!(error.to_string(), "line 1 of the record: no response with the id 1 follows");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// The number of the invalid line, counted from 1.
    pub line: usize,
    /// The fault of the line.
    pub reason: String,
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the record: {}", self.line, self.reason)
    }
}
impl std::error::Error for BadRecord {}

/// A request whose response has not been read yet.
struct PendingRequest {
    line: usize,
    id: Id<'static>,
    request: Request,
}

/// Parses a record: one message a line, after `>> ` if it was sent and after `<< ` if it was received. Empty
/// lines and lines that begin with `//` are skipped.
pub(super) fn parse(record: &str) -> Result<Vec<Exchange>, BadRecord> {
    let (mut exchanges, mut pending) = (Vec::new(), Vec::new());
    for (line, text) in record.lines().enumerate().map(|(line, text)| (line + 1, text.trim())) {
        let bad = |reason: String| BadRecord { line, reason };
        if let Some(sent) = text.strip_prefix(">>") {
            for (message, _) in Incoming::messages(sent.trim().as_bytes()) {
                match (Request::from_message(&message), &message) {
                    (Some((id, request)), _) => pending.push(PendingRequest { line, id: id.into_owned(), request }),
                    (None, Message::Notification(_)) => {}
                    (None, Message::Invalid(invalid)) => return Err(bad(format!("not a request: {}", invalid.reason))),
                    (None, _) => return Err(bad("not a request".to_owned())),
                }
            }
        } else if let Some(received) = text.strip_prefix("<<") {
            for (message, text) in Incoming::messages(received.trim().as_bytes()) {
                let id = match &message {
                    Message::Response(response) => &response.id,
                    Message::Invalid(invalid) => match &invalid.id {
                        Some(id) => id,
                        None => return Err(bad(format!("not a response: {}", invalid.reason))),
                    },
                    // Requests of the peer are not replayed.
                    Message::Request(_) | Message::Notification(_) => continue,
                };
                let Some(index) = pending.iter().position(|pending: &PendingRequest| pending.id == *id) else {
                    return Err(bad(format!("no earlier request has the id {id}")));
                };
                let request = pending.remove(index).request;
                exchanges.push(Exchange { request, response: text.to_owned(), is_replayed: false });
            }
        } else if !text.is_empty() && !text.starts_with("//") {
            return Err(bad("unknown prefix; expected `>>`, `<<` or `//`".to_owned()));
        }
    }
    match pending.first() {
        None => Ok(exchanges),
        Some(PendingRequest { line, id, .. }) => {
            Err(BadRecord { line: *line, reason: format!("no response with the id {id} follows") })
        }
    }
}
