//! Comparison of the fast reader of requests with the strict one, by two servers of the same service.
//!
//! A server with an observer always uses the strict reader, so one with an observer that ignores all events is the
//! reference.

use crate::expected_response::{Expected, ExpectedOutput, expected_response};
use crate::param_types::{MyParamTypes, ParamTypesService};
use crate::task::{now, yield_now};
use examples::demo::{Demo, DemoService, MyDemo};
use rpc_core::observe::Event;
use rpc_core::server::Service;
use rpc_core::wire::{Incoming, Message, Response};
use rpc_core::{Context, ErrorObject, Internal, Server};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The service that both servers have.
pub type DemoAndParamTypes = (DemoService<DemoWithoutClock>, ParamTypesService<MyParamTypes>);

/// A server that uses the fast reader where it can, and one that always uses the strict reader.
#[derive(Debug)]
pub struct FastAndStrict {
    fast: Server<DemoAndParamTypes>,
    strict: Server<DemoAndParamTypes>,
    responses: [Vec<u8>; 2],
    /// The methods, to compute the expected response; `None` for servers with limits.
    methods: Option<Vec<String>>,
}

impl Default for FastAndStrict {
    fn default() -> Self {
        Self::new()
    }
}

impl FastAndStrict {
    /// Creates two servers of the demo service and of [`ParamTypesService`].
    #[must_use]
    pub fn new() -> Self {
        let mut methods = vec![];
        service().for_each_method(&mut |info| methods.push(info.name().to_owned()));
        FastAndStrict { methods: Some(methods), ..Self::with_limits(|server| server) }
    }

    /// Creates servers with limits. Their responses are compared with each other but not with the expected response.
    #[must_use]
    pub fn with_limits(limit: impl Fn(Server<DemoAndParamTypes>) -> Server<DemoAndParamTypes>) -> Self {
        let strict = Server::new(service()).observer(Arc::new(|_: &Event<'_>| {}));
        FastAndStrict {
            fast: limit(Server::new(service())),
            strict: limit(strict),
            responses: [vec![], vec![]],
            methods: None,
        }
    }

    /// Returns the response that both servers write; empty if they write none.
    ///
    /// # Errors
    ///
    /// Fails if the responses differ, or if they are not the expected response.
    pub fn response(&mut self, message: &[u8]) -> Result<&[u8], String> {
        let [fast, strict] = &mut self.responses;
        fast.clear();
        // `handle_into` must append: one of the buffers is not empty.
        strict.clear();
        strict.extend_from_slice(BEFORE);
        let fast_responds = now(self.fast.handle_into(message, fast));
        let strict_responds = now(self.strict.handle_into(message, strict));
        let strict = strict.strip_prefix(BEFORE).ok_or("the previous content of the buffer is lost")?;
        let fast = fast.as_slice();
        if fast != strict || fast_responds != strict_responds || fast_responds == fast.is_empty() {
            return Err(format!("fast:   {}\nstrict: {}", fast.escape_ascii(), strict.escape_ascii()));
        }
        if let Some(methods) = &self.methods {
            let expected = expected_response(message, methods);
            if !matches_output(&expected, fast) {
                return Err(format!("expected: {expected:?}\ngot:      {}", fast.escape_ascii()));
            }
        }
        Ok(fast)
    }

    /// Checks a message as [`response`](Self::response) does.
    ///
    /// # Panics
    ///
    /// Panics if `response` fails.
    #[track_caller]
    pub fn check(&mut self, message: &[u8]) {
        if let Err(error) = self.response(message) {
            panic!("{}\n{error}", truncated(message));
        }
    }
}

const BEFORE: &[u8] = b"before";

fn service() -> DemoAndParamTypes {
    (DemoService::new(DemoWithoutClock), ParamTypesService::new(MyParamTypes))
}

/// Escapes a message for output, at most the first 4,000 bytes.
#[must_use]
pub fn truncated(message: &[u8]) -> String {
    let shown = message.len().min(4_000);
    let rest = message.len() - shown;
    let head = message[..shown].escape_ascii();
    if rest == 0 { head.to_string() } else { format!("{head}… and {rest} bytes more") }
}

fn matches_output(expected: &ExpectedOutput, response: &[u8]) -> bool {
    if response.is_empty() {
        return match expected {
            ExpectedOutput::Single(expected) => *expected == Expected::NoResponse,
            ExpectedOutput::Batch(expected) => expected.iter().all(|expected| *expected == Expected::NoResponse),
        };
    }
    match (expected, Incoming::read(response)) {
        (ExpectedOutput::Single(expected), Incoming::Message(response)) => matches_response(expected, &response),
        (ExpectedOutput::Batch(expected), Incoming::Batch(responses)) => {
            let expected: Vec<_> = expected.iter().filter(|expected| **expected != Expected::NoResponse).collect();
            let responses = responses.into_members();
            expected.len() == responses.len()
                && expected.iter().zip(&responses).all(|(expected, response)| matches_response(expected, response))
        }
        _ => false,
    }
}

fn matches_response(expected: &Expected, response: &Message<'_>) -> bool {
    let Message::Response(Response { id, outcome }) = response else { return false };
    match expected {
        Expected::NoResponse => false,
        Expected::Error(code, expected_id) => {
            id.as_token() == expected_id && outcome.as_ref().is_err_and(|error| error.code == *code)
        }
        Expected::Outcome(expected_id) => {
            id.as_token() == expected_id
                && outcome.as_ref().err().is_none_or(|error| matches!(error.code, -32602 | -32603 | 1001))
        }
    }
}

/// The demo service without a clock: `sleep` yields once.
#[derive(Clone, Copy, Debug)]
pub struct DemoWithoutClock;

impl Demo for DemoWithoutClock {
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
        yield_now().await;
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
