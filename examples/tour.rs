//! A guided tour of one exchange: each message on the wire, and the outcome of each call.
//!
//! Four calls, two notifications, an invalid message, a message of JSON-RPC 1.0 and a stray response are exchanged over
//! a wire that delivers on demand: first in the order they were sent, then in reverse.

use examples::demo::{DemoService, MyDemo};
use rpc_core::client::{PendingCalls, Received};
use rpc_core::observe::{Event, EventKind, Failure, Observer, WireLog};
use rpc_core::{ClientError, Server, block_on};
use serde_json::json;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

fn main() -> Result<(), ClientError> {
    println!("JSON-RPC 2.0 exchanges JSON messages: a client sends requests, a server sends responses.");
    println!("A request has an id, and its response has the same id. This pairs them in any order.");
    println!("A notification has no id and gets no response. Below, <- is received and -> is sent.");
    let first = exchange("Delivered in the order they were sent", false)?;
    let second = exchange("The same messages, delivered in reverse", true)?;
    println!();
    println!(
        "The order of the messages does not change the outcomes: {}.",
        if first == second { "the tables are equal" } else { "the tables differ" }
    );
    Ok(())
}

/// Runs and prints one exchange. Returns the lines of the table of its calls.
fn exchange(title: &str, in_reverse: bool) -> Result<Vec<String>, ClientError> {
    println!("\n{title}\n{}", "=".repeat(title.len()));
    let totals = Arc::new(Totals::default());
    let server = Server::new(DemoService::new(MyDemo)).observer(CountingLog::new("server", &totals));
    let mut calls = PendingCalls::new().observer(CountingLog::new("client", &totals));
    let mut wire = Wire::default();

    println!("\nThe client makes four calls and sends two notifications.");
    let mut table = Table::default();
    for (method, params) in [
        ("subtract", json!([42, 23])),
        ("divide", json!({"dividend": 1, "divisor": 0})),
        ("echo", json!(["hello"])),
        ("get_data", json!(null)),
    ] {
        let (id, text) = calls.call(method, &params)?;
        table.rows.push(Row { id, method, outcome: None });
        wire.to_server.push(text);
    }
    wire.to_server.push(calls.notify("update", &[1, 2, 3])?);
    wire.to_server.push(calls.notify("no_such_method", &json!(null))?);

    println!("\nThe wire also has three other messages: one is not JSON, one is of JSON-RPC 1.0,");
    println!("and one is a response to a call that was never made.");
    wire.to_server.push("this is not JSON".to_owned());
    wire.to_server.push(r#"{"jsonrpc":"1.0","method":"subtract","params":[5,3],"id":"old"}"#.to_owned());
    wire.to_client.push(r#"{"jsonrpc":"2.0","result":"stray","id":99}"#.to_owned());

    println!("\nThe server reads the messages and sends the responses.");
    for message in delivered(&mut wire.to_server, in_reverse) {
        wire.to_client.extend(block_on(server.handle(message)));
    }

    println!("\nThe client reads the responses and pairs each with its call by the id.");
    for message in delivered(&mut wire.to_client, in_reverse) {
        for received in calls.receive(message.as_bytes()) {
            table.record(&received);
        }
    }

    let lines = table.lines();
    println!("\n  id  call       outcome");
    for line in &lines {
        println!("{line}");
    }
    println!("\nThe totals. A completed call has its result, a failed call an error. A discarded message");
    println!("matches no pending call. The last count is of messages that get no response.");
    println!("{}", totals.line(calls.pending().count()));
    Ok(lines)
}

/// The messages that were sent and not yet delivered.
#[derive(Default)]
struct Wire {
    to_server: Vec<String>,
    to_client: Vec<String>,
}

fn delivered(messages: &mut Vec<String>, in_reverse: bool) -> Vec<String> {
    let mut messages = std::mem::take(messages);
    if in_reverse {
        messages.reverse();
    }
    messages
}

/// The outcome of each call.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
}

struct Row {
    id: u64,
    method: &'static str,
    outcome: Option<String>,
}

impl Table {
    fn record(&mut self, received: &Received<'_>) {
        let (id, outcome) = match received {
            Received::Response { id, outcome: Ok(result) } => (*id, format!("the result {result}")),
            Received::Response { id, outcome: Err(error) } => (*id, format!("the error {error}")),
            Received::Failed { id, error } => (*id, error.to_string()),
            _ => return,
        };
        if let Some(row) = self.rows.iter_mut().find(|row| row.id == id) {
            row.outcome = Some(outcome);
        }
    }

    fn lines(&self) -> Vec<String> {
        let line =
            |row: &Row| format!("  {:>2}  {:<9}  {}", row.id, row.method, row.outcome.as_deref().unwrap_or("pending"));
        self.rows.iter().map(line).collect()
    }
}

/// An observer that logs and counts the events of one side.
struct CountingLog {
    log: WireLog<io::Stdout>,
    totals: Arc<Totals>,
}

impl CountingLog {
    fn new(side: &str, totals: &Arc<Totals>) -> Arc<Self> {
        let log = WireLog::new(io::stdout()).named(side).without_time().width(100);
        Arc::new(CountingLog { log, totals: totals.clone() })
    }
}

impl Observer for CountingLog {
    fn observe(&self, event: &Event<'_>) {
        self.log.observe(event);
        self.totals.count(event);
    }
}

/// The number of events of each kind, on both sides.
#[derive(Default)]
struct Totals(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    completed: u32,
    failed: u32,
    last_code: Option<i64>,
    discarded: u32,
    no_response: u32,
}

impl Totals {
    fn count(&self, event: &Event<'_>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event.kind {
            EventKind::Completed { .. } => counts.completed += 1,
            EventKind::Failed { failure, .. } => {
                counts.failed += 1;
                if let Failure::Error(error) = failure {
                    counts.last_code = Some(error.code);
                }
            }
            EventKind::Discarded { .. } => counts.discarded += 1,
            EventKind::NoResponse { .. } => counts.no_response += 1,
            _ => {}
        }
    }

    fn line(&self, pending: usize) -> String {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let code = counts.last_code.map_or_else(String::new, |code| format!(" (last code {code})"));
        format!(
            "pending {pending} / completed {} / failed {}{code} / discarded {} / no response {}",
            counts.completed, counts.failed, counts.discarded, counts.no_response
        )
    }
}
