//! Recorded exchanges: `>> ` and a request, `<< ` and the reply to it.

use crate::wire::{Id, Incoming, Message};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// A call that was recorded, with the reply to it.
pub(super) struct Exchange {
    pub(super) request: Request,
    pub(super) response: String,
    /// Whether it has been replayed.
    pub(super) is_used: bool,
}

/// What a request asks for, compared as JSON.
#[derive(PartialEq)]
pub(super) struct Request {
    pub(super) method: String,
    params: Params,
}

#[derive(PartialEq)]
enum Params {
    None,
    Json(Value),
    /// What no value can hold, as it came.
    Text(String),
}

impl Params {
    fn of(params: Option<&RawValue>) -> Self {
        match params.map(|params| (params, serde_json::from_str(params.get()))) {
            None | Some((_, Ok(Value::Null))) => Params::None,
            Some((_, Ok(value))) => Params::Json(value),
            Some((params, Err(_))) => Params::Text(params.get().to_owned()),
        }
    }
}

impl Request {
    /// What a message asks for that is a call: its id, too.
    pub(super) fn of<'a>(message: &Message<'a>) -> Option<(Id<'a>, Self)> {
        let Message::Request(request) = message else { return None };
        let params = Params::of(request.params);
        Some((request.id.clone(), Request { method: request.method.clone().into_owned(), params }))
    }
}

/// A record that cannot be replayed.
///
/// ```
/// use rpc_core::mock::Mock;
///
/// let error = Mock::new().replay(r#">> {"jsonrpc":"2.0","method":"ping","id":1}"#).unwrap_err();
/// assert_eq!(error.to_string(), "line 1 of the record: no reply to the id 1 follows");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// Which line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the record: {}", self.line, self.reason)
    }
}
impl std::error::Error for BadRecord {}

/// A call of which the reply has not come yet.
struct Open {
    line: usize,
    id: Id<'static>,
    request: Request,
}

/// Reads a record: one message a line, behind `>> ` if it was sent and behind `<< ` if it came back. Empty
/// lines and lines that begin with `//` are passed over.
pub(super) fn read(record: &str) -> Result<Vec<Exchange>, BadRecord> {
    let (mut exchanges, mut open) = (Vec::new(), Vec::new());
    for (line, text) in record.lines().enumerate().map(|(line, text)| (line + 1, text.trim())) {
        let bad = |reason: String| BadRecord { line, reason };
        if let Some(sent) = text.strip_prefix(">>") {
            for (message, _) in Incoming::messages(sent.trim().as_bytes()) {
                match (Request::of(&message), &message) {
                    (Some((id, request)), _) => open.push(Open { line, id: id.into_owned(), request }),
                    // What was sent without an id has no reply to replay.
                    (None, Message::Notification(_)) => {}
                    (None, Message::Invalid(invalid)) => return Err(bad(format!("not a call: {}", invalid.reason))),
                    (None, _) => return Err(bad("not a call".to_owned())),
                }
            }
        } else if let Some(received) = text.strip_prefix("<<") {
            for (message, text) in Incoming::messages(received.trim().as_bytes()) {
                let id = match &message {
                    Message::Response(response) => &response.id,
                    Message::Invalid(invalid) => match &invalid.id {
                        Some(id) => id,
                        None => return Err(bad(format!("not a reply: {}", invalid.reason))),
                    },
                    // What the other side asked is not replayed.
                    Message::Request(_) | Message::Notification(_) => continue,
                };
                let Some(place) = open.iter().position(|open: &Open| open.id == *id) else {
                    return Err(bad(format!("no call before it has the id {id}")));
                };
                let request = open.remove(place).request;
                exchanges.push(Exchange { request, response: text.to_owned(), is_used: false });
            }
        } else if !text.is_empty() && !text.starts_with("//") {
            return Err(bad("begin it with `>>`, `<<` or `//`".to_owned()));
        }
    }
    match open.first() {
        None => Ok(exchanges),
        Some(open) => Err(BadRecord { line: open.line, reason: format!("no reply to the id {} follows", open.id) }),
    }
}
