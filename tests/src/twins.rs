//! Two servers of one service: one reads fast where it can, the other always exactly.
//!
//! An observed server reads exactly, so that one that nobody minds is the reference.

use crate::shapes::{MyShapes, ShapesService};
use crate::task::{give_way, now};
use examples::demo::{Demo, DemoService, MyDemo};
use rpc_core::observe::Event;
use rpc_core::wire::{Incoming, Message};
use rpc_core::{ErrorObject, Internal, Server};
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

type Both = (DemoService<Prompt>, ShapesService<MyShapes>);

/// How deep a message may be.
const DEPTH: usize = 127;

/// The two servers.
#[derive(Debug)]
pub struct Twins {
    fast: Server<Both>,
    exact: Server<Both>,
    answers: [Vec<u8>; 2],
}

impl Default for Twins {
    fn default() -> Self {
        Self::new()
    }
}

impl Twins {
    /// The demo service beside the one of many shapes, twice.
    #[must_use]
    pub fn new() -> Self {
        let server = || Server::new((DemoService::new(Prompt), ShapesService::new(MyShapes)));
        let exact = server().observed_by(Arc::new(|_: &Event<'_>| {}));
        Twins { fast: server(), exact, answers: [vec![], vec![]] }
    }

    /// The answer that both give to `message`; empty when none is owed.
    ///
    /// # Errors
    ///
    /// When they differ, or when the answer cannot be right whatever the message says.
    pub fn answer(&mut self, message: &[u8]) -> Result<&[u8], String> {
        let [fast, exact] = &mut self.answers;
        for (server, answer) in [(&self.fast, &mut *fast), (&self.exact, &mut *exact)] {
            answer.clear();
            let answered = now(server.handle_into(message, answer));
            if answered == answer.is_empty() {
                return Err(format!("an answer is owed: {answered}, but it is: {}", answer.escape_ascii()));
            }
        }
        let (fast, exact) = (fast.as_slice(), exact.as_slice());
        if fast != exact {
            return Err(format!("fast:  {}\nexact: {}", fast.escape_ascii(), exact.escape_ascii()));
        }
        if !fast.is_empty() {
            is_right(message, fast).map_err(|error| format!("{error}: {}", fast.escape_ascii()))?;
        } else if !is_readable(message) {
            return Err("no answer to what is not JSON".to_owned());
        }
        Ok(fast)
    }

    /// As [`answer`](Self::answer), for tests.
    ///
    /// # Panics
    ///
    /// Where it fails, with the message.
    #[track_caller]
    pub fn agree(&mut self, message: &[u8]) {
        if let Err(error) = self.answer(message) {
            panic!("{}\n{error}", head(message));
        }
    }
}

/// As much of a message as can be shown.
#[must_use]
pub fn head(message: &[u8]) -> String {
    let most = message.len().min(4_000);
    let rest = message.len() - most;
    let head = message[..most].escape_ascii();
    if rest == 0 { head.to_string() } else { format!("{head}… and {rest} bytes more") }
}

/// What holds for every answer, told without any reader of requests.
fn is_right(message: &[u8], answer: &[u8]) -> Result<(), &'static str> {
    let members = match Incoming::read(answer) {
        Incoming::Message(message) => vec![message],
        Incoming::Batch(batch) => batch.into_members(),
    };
    let is_one = !answer.starts_with(b"[");
    let mut parse_errors = 0;
    for member in &members {
        let Message::Response(response) = member else { return Err("no answer at all") };
        let Err(error) = &response.outcome else { continue };
        if !matches!(error.code, -32700 | -32603..=-32600 | 1001) {
            return Err("a code of nobody");
        }
        if error.code == -32700 {
            parse_errors += 1;
            if !response.id.is_null() {
                return Err("an id out of what is not JSON");
            }
        }
    }
    if !is_one && message.trim_ascii_start().first() != Some(&b'[') {
        return Err("a batch of answers to no batch");
    }
    match (is_readable(message), parse_errors) {
        (true, 0) => Ok(()),
        (false, 1) if is_one => Ok(()),
        (true, _) => Err("JSON was not read"),
        (false, _) => Err("what is not JSON was read"),
    }
}

/// Whether the whole of a message is JSON and not too deep.
fn is_readable(message: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(message) else { return false };
    serde_json::from_str::<IgnoredAny>(text).is_ok() && depth(message) <= DEPTH
}

/// How many brackets are open at once in JSON, at most.
fn depth(json: &[u8]) -> usize {
    let (mut open, mut most, mut in_string, mut is_escaped) = (0, 0, false, false);
    for byte in json {
        match (in_string, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => {
                open += 1;
                most = most.max(open);
            }
            (false, b']' | b'}') => open -= 1,
            _ => {}
        }
    }
    most
}

/// The demo without a clock.
struct Prompt;

impl Demo for Prompt {
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
        MyDemo.subtract(minuend, subtrahend).await
    }
    async fn sum(&self, values: Vec<i64>) -> i64 {
        MyDemo.sum(values).await
    }
    async fn echo(&self, text: Box<RawValue>) -> Box<RawValue> {
        MyDemo.echo(text).await
    }
    async fn sleep(&self, ms: u64) -> u64 {
        give_way().await;
        ms
    }
    async fn divide(&self, dividend: i64, divisor: i64) -> Result<i64, ErrorObject> {
        MyDemo.divide(dividend, divisor).await
    }
    async fn fail(&self) -> Result<(), Internal> {
        MyDemo.fail().await
    }
    fn get_data(&self) -> (String, u8) {
        MyDemo.get_data()
    }
    async fn update(&self, _: Value) {}
    async fn notify_hello(&self, _: Value) {}
    async fn notify_sum(&self, _: Value) {}
}
