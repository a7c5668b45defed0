//! A guided tour of one exchange: what crosses the wire, and what becomes of it.
//!
//! Four calls, two notifications, a line of garbage, a message of another version and a stray reply
//! cross a wire that one can hold: first in the order in which they were sent, then in reverse.

use examples::demo::{DemoService, MyDemo};
use rpc_core::client::{PendingCalls, Received};
use rpc_core::observe::WireLog;
use rpc_core::observe::{Event, EventKind, Failure, Observer};
use rpc_core::{ClientError, Server, block_on};
use serde_json::json;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

fn main() -> Result<(), ClientError> {
    println!("JSON-RPC 2.0 is JSON sent back and forth: a client asks, a server answers.");
    println!("A call carries an id, and its answer carries the same one: that is how they find each other.");
    println!("A notification carries none, so nobody answers it. Below, <- came in and -> went out.");
    let first = exchange("In the order in which they were sent", false)?;
    let second = exchange("Again, every message delivered in reverse", true)?;
    println!();
    println!(
        "The order changed, and nothing else: {}.",
        if first == second { "the tables are equal" } else { "the tables differ" }
    );
    Ok(())
}

/// Runs the script over a wire, and shows it. Gives the table of its calls.
fn exchange(title: &str, in_reverse: bool) -> Result<Vec<String>, ClientError> {
    println!("\n{title}\n{}", "=".repeat(title.len()));
    let totals = Arc::new(Totals::default());
    let server = Server::new(DemoService::new(MyDemo)).observer(Watcher::of("server", &totals));
    let mut calls = PendingCalls::new().observer(Watcher::of("client", &totals));
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
        table.rows.push(Row { id, method, got: None });
        wire.to_server.push(text);
    }
    wire.to_server.push(calls.notify("update", &[1, 2, 3])?);
    wire.to_server.push(calls.notify("no_such_method", &json!(null))?);

    println!("\nBeside them, three messages of others are on the wire: one is no JSON, one is of version 1.0,");
    println!("and one answers a call that was never made.");
    wire.to_server.push("this is not JSON".to_owned());
    wire.to_server.push(r#"{"jsonrpc":"1.0","method":"subtract","params":[5,3],"id":"old"}"#.to_owned());
    wire.to_client.push(r#"{"jsonrpc":"2.0","result":"who asked?","id":99}"#.to_owned());

    println!("\nThe server reads what has come, and answers what is owed an answer.");
    for message in delivered(&mut wire.to_server, in_reverse) {
        wire.to_client.extend(block_on(server.handle(message)));
    }

    println!("\nThe client reads the answers, and pairs each with its call by the id.");
    for message in delivered(&mut wire.to_client, in_reverse) {
        for received in calls.receive(message.as_bytes()) {
            table.note(&received);
        }
    }

    let lines = table.lines();
    println!("\n  id  call       got");
    for line in &lines {
        println!("{line}");
    }
    println!("\nPending calls still wait, paired ones have their result, failed ones an error; dropped is what no");
    println!("call can claim, and silent what is owed no answer:");
    println!("{}", totals.line(calls.pending().count()));
    Ok(lines)
}

/// A wire that one can hold: what was put in at one end and has not come out at the other.
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

/// What each call got.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
}

struct Row {
    id: u64,
    method: &'static str,
    got: Option<String>,
}

impl Table {
    fn note(&mut self, received: &Received<'_>) {
        let (id, got) = match received {
            Received::Response { id, outcome: Ok(result) } => (*id, format!("the result {result}")),
            Received::Response { id, outcome: Err(error) } => (*id, format!("the error {error}")),
            Received::Failed { id, error } => (*id, error.to_string()),
            _ => return,
        };
        if let Some(row) = self.rows.iter_mut().find(|row| row.id == id) {
            row.got = Some(got);
        }
    }

    fn lines(&self) -> Vec<String> {
        let line =
            |row: &Row| format!("  {:>2}  {:<9}  {}", row.id, row.method, row.got.as_deref().unwrap_or("nothing yet"));
        self.rows.iter().map(line).collect()
    }
}

/// Logs what one side sees, and counts it.
struct Watcher {
    log: WireLog<io::Stdout>,
    totals: Arc<Totals>,
}

impl Watcher {
    fn of(side: &str, totals: &Arc<Totals>) -> Arc<Self> {
        let log = WireLog::new(io::stdout()).named(side).without_time().width(100);
        Arc::new(Watcher { log, totals: totals.clone() })
    }
}

impl Observer for Watcher {
    fn observe(&self, event: &Event<'_>) {
        self.log.observe(event);
        self.totals.count(event);
    }
}

/// How often what happened.
#[derive(Default)]
struct Totals(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    paired: u32,
    failed: u32,
    last_code: Option<i64>,
    dropped: u32,
    silent: u32,
}

impl Totals {
    fn count(&self, event: &Event<'_>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event.kind {
            EventKind::Completed { .. } => counts.paired += 1,
            EventKind::Failed { failure, .. } => {
                counts.failed += 1;
                if let Failure::Error(error) = failure {
                    counts.last_code = Some(error.code);
                }
            }
            EventKind::Discarded { .. } => counts.dropped += 1,
            EventKind::NoResponse { .. } => counts.silent += 1,
            _ => {}
        }
    }

    fn line(&self, pending: usize) -> String {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let code = counts.last_code.map_or_else(String::new, |code| format!(" (last code {code})"));
        format!(
            "pending {pending} / paired {} / failed {}{code} / dropped {} / silent {}",
            counts.paired, counts.failed, counts.dropped, counts.silent
        )
    }
}
