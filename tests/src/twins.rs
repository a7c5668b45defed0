//! Two servers of one service: one reads fast where it can, the other always exactly.
//!
//! An observed server reads exactly, so one whose observer minds nothing is the reference.

use crate::owed::{Owed, Whole, owed};
use crate::shapes::{MyShapes, ShapesService};
use crate::task::{give_way, now};
use examples::demo::{Demo, DemoService, MyDemo};
use rpc_core::observe::Event;
use rpc_core::server::Service;
use rpc_core::wire::{Incoming, Message, Response};
use rpc_core::{Context, ErrorObject, Internal, Server};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The service.
pub type Both = (DemoService<Prompt>, ShapesService<MyShapes>);

/// The two servers.
#[derive(Debug)]
pub struct Twins {
    fast: Server<Both>,
    exact: Server<Both>,
    responses: [Vec<u8>; 2],
    names: Option<Vec<String>>,
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
        let mut names = vec![];
        service().for_each_method(&mut |info| names.push(info.name().to_owned()));
        Twins { names: Some(names), ..Self::limited(|server| server) }
    }

    /// As [`new`](Self::new), within limits; what is owed is not known then, but that both answer alike.
    #[must_use]
    pub fn limited(limit: impl Fn(Server<Both>) -> Server<Both>) -> Self {
        let exact = Server::new(service()).observer(Arc::new(|_: &Event<'_>| {}));
        Twins { fast: limit(Server::new(service())), exact: limit(exact), responses: [vec![], vec![]], names: None }
    }

    /// The answer that both give to `message`; empty when none is owed.
    ///
    /// # Errors
    ///
    /// When they differ, or when the answer is not what is owed.
    pub fn response(&mut self, message: &[u8]) -> Result<&[u8], String> {
        let [fast, exact] = &mut self.responses;
        fast.clear();
        // What is there already is no business of an answer.
        exact.clear();
        exact.extend_from_slice(BEFORE);
        let answered = now(self.fast.handle_into(message, fast));
        let answered_exactly = now(self.exact.handle_into(message, exact));
        let (fast, exact) = (fast.as_slice(), exact.strip_prefix(BEFORE).ok_or("what was there is lost")?);
        if fast != exact || answered != answered_exactly || answered == fast.is_empty() {
            return Err(format!("fast:  {}\nexact: {}", fast.escape_ascii(), exact.escape_ascii()));
        }
        if let Some(names) = &self.names {
            let owed = owed(message, names);
            if !is_paid(&owed, fast) {
                return Err(format!("owed:     {owed:?}\nanswered: {}", fast.escape_ascii()));
            }
        }
        Ok(fast)
    }

    /// As [`response`](Self::response), for tests.
    ///
    /// # Panics
    ///
    /// Where it fails, with the message.
    #[track_caller]
    pub fn agree(&mut self, message: &[u8]) {
        if let Err(error) = self.response(message) {
            panic!("{}\n{error}", head(message));
        }
    }
}

const BEFORE: &[u8] = b"before";

fn service() -> Both {
    (DemoService::new(Prompt), ShapesService::new(MyShapes))
}

/// As much of a message as can be shown.
#[must_use]
pub fn head(message: &[u8]) -> String {
    let most = message.len().min(4_000);
    let rest = message.len() - most;
    let head = message[..most].escape_ascii();
    if rest == 0 { head.to_string() } else { format!("{head}… and {rest} bytes more") }
}

/// Whether an answer is what is owed.
fn is_paid(owed: &Whole, response: &[u8]) -> bool {
    if response.is_empty() {
        return match owed {
            Whole::One(owed) => *owed == Owed::Nothing,
            Whole::Batch(owed) => owed.iter().all(|owed| *owed == Owed::Nothing),
        };
    }
    match (owed, Incoming::read(response)) {
        (Whole::One(owed), Incoming::Message(response)) => is_paid_by(owed, &response),
        (Whole::Batch(owed), Incoming::Batch(responses)) => {
            let owed: Vec<_> = owed.iter().filter(|owed| **owed != Owed::Nothing).collect();
            let responses = responses.into_members();
            owed.len() == responses.len()
                && owed.iter().zip(&responses).all(|(owed, response)| is_paid_by(owed, response))
        }
        _ => false,
    }
}

fn is_paid_by(owed: &Owed, response: &Message<'_>) -> bool {
    let Message::Response(Response { id, outcome }) = response else { return false };
    match owed {
        Owed::Nothing => false,
        Owed::Error(code, owed) => id.as_token() == owed && outcome.as_ref().is_err_and(|error| error.code == *code),
        Owed::Outcome(owed) => {
            id.as_token() == owed
                && outcome.as_ref().err().is_none_or(|error| matches!(error.code, -32602 | -32603 | 1001))
        }
    }
}

/// The demo without a clock.
#[derive(Clone, Copy, Debug)]
pub struct Prompt;

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
    async fn relay(&self, text: String, context: &Context<'_>) -> Result<String, ErrorObject> {
        MyDemo.relay(text, context).await
    }
    async fn announce(&self, text: String, context: &Context<'_>) -> Result<(), ErrorObject> {
        MyDemo.announce(text, context).await
    }
    fn get_data(&self) -> (String, u8) {
        MyDemo.get_data()
    }
    async fn update(&self, _: Value) {}
    async fn notify_hello(&self, _: Value) {}
    async fn notify_sum(&self, _: Value) {}
}
