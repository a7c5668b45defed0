//! Each limit, tested just below, at and just above it.

use rpc_core::{Server, rpc};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::check::{check, error, result};
use tests::counting_service;
use tests::task::{Gate, Task, now};

#[rpc]
trait Limited {
    async fn raw(&self, v: Box<RawValue>) -> Box<RawValue>;
    async fn value(&self, v: Value) -> usize;
    async fn letters(&self, count: usize) -> String;
    async fn later(&self, count: usize) -> String;
    #[rpc(notification)]
    async fn note(&self);
}

#[derive(Default)]
struct Counting {
    runs: AtomicUsize,
    gate: Gate,
}

impl Counting {
    fn runs(&self) -> usize {
        self.runs.swap(0, Ordering::SeqCst)
    }
    fn count(&self) {
        self.runs.fetch_add(1, Ordering::SeqCst);
    }
}

impl Limited for Counting {
    async fn raw(&self, v: Box<RawValue>) -> Box<RawValue> {
        self.count();
        v
    }
    async fn value(&self, v: Value) -> usize {
        self.count();
        v.to_string().len()
    }
    async fn letters(&self, count: usize) -> String {
        self.count();
        "x".repeat(count)
    }
    async fn later(&self, count: usize) -> String {
        self.count();
        self.gate.passed().await;
        "x".repeat(count)
    }
    async fn note(&self) {
        self.count();
    }
}

fn server() -> (Server<LimitedService<Counting>>, Arc<Counting>) {
    let counting = Arc::new(Counting::default());
    (Server::new(LimitedService::from(counting.clone())), counting)
}

fn call(method: &str, params: &str, id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":{id}}}"#)
}

fn batch(members: &[String]) -> String {
    format!("[{}]", members.join(","))
}

#[test]
fn a_message_may_be_as_long_as_its_limit() {
    let (server, counting) = server();
    for message in [call("raw", "[1]", 1), batch(&[call("raw", "[1]", 1)]), call("raw", r#"["é漢😀"]"#, 1)] {
        let expected = now(server.handle(&message)).expect("a response");
        counting.runs();
        for limit in [message.len(), message.len() + 1] {
            check(&server.clone().max_message_bytes(limit), &message, &expected);
        }
        counting.runs();
        let refused = error(-32600, "null");
        check(&server.clone().max_message_bytes(message.len() - 1), &message, &refused);
        check(&server.clone().max_message_bytes(message.len()), format!("{message} "), &refused);
        assert_eq!(counting.runs(), 0);
    }
    // A message over the limit is not parsed.
    let small = server.max_message_bytes(2);
    check(&small, "not", &error(-32600, "null"));
    check(&small, b"\xff\xff\xff", &error(-32600, "null"));
    check(&small, r#"{"jsonrpc":"2.0","method":"note"}"#, &error(-32600, "null"));
    check(&small, "no", &error(-32700, "null"));
    check(&small, "", &error(-32700, "null"));
}

#[test]
fn a_message_may_be_ten_mebibytes_by_default() {
    let (server, _) = server();
    let empty = call("raw", r#"[""]"#, 1).len();
    for (length, is_allowed) in [((10 << 20) - 1, true), (10 << 20, true), ((10 << 20) + 1, false)] {
        let text = format!(r#""{}""#, "x".repeat(length - empty));
        let response = if is_allowed { result(&text, "1") } else { error(-32600, "null") };
        check(&server, call("raw", &format!("[{text}]"), 1), &response);
    }
}

/// Returns a value of this depth.
fn nested(open: &str, depth: usize, close: &str) -> String {
    format!("{}1{}", open.repeat(depth), close.repeat(depth))
}

const SHAPES: [(&str, &str); 3] = [("[", "]"), (r#"{"a":"#, "}"), (r#"["\"[{", 2, "#, "]")];

/// Returns messages of this depth, and whether their response has a result.
fn messages_of_depth(depth: usize) -> Vec<(String, bool)> {
    let mut messages = vec![];
    for (open, close) in SHAPES {
        // The request and its params take two levels.
        let value = |levels: usize| nested(open, depth - levels, close);
        let unknown = format!(r#"{{"jsonrpc":"2.0","method":"nope","params":[{}],"id":1}}"#, value(2));
        let extra = format!(r#"{{"jsonrpc":"2.0","x":{},"method":"value","params":[1],"id":1}}"#, value(1));
        let before = format!(r#"{{"params":[{}],"jsonrpc":"2.0","method":"value","id":1}}"#, value(2));
        messages.extend([
            (call("raw", &format!("[{}]", value(2)), 1), true),
            (call("raw", &format!(r#"{{"v":{}}}"#, value(2)), 1), true),
            (call("value", &format!("[{}]", value(2)), 1), true),
            (unknown, false),
            (extra, true),
            (before, true),
            (value(0), false),
            (batch(&[call("raw", &format!("[{}]", value(3)), 1)]), true),
            (batch(&[call("raw", "[1]", 1), call("raw", &format!("[{}]", value(3)), 1)]), true),
            (batch(&[value(1), call("value", "[1]", 1)]), true),
        ]);
    }
    messages
}

#[test]
fn a_message_may_be_as_deep_as_its_limit() {
    for limit in [6, 127] {
        let (server, counting) = server();
        let server = if limit == 127 { server } else { server.max_depth(limit) };
        for depth in [limit - 1, limit] {
            for (message, has_result) in messages_of_depth(depth) {
                let response = now(server.handle(&message)).expect("a response");
                assert!(!response.contains("-32700"), "{message} {response}");
                assert_eq!(response.contains("\"result\":"), has_result, "{message} {response}");
            }
        }
        counting.runs();
        for (message, _) in messages_of_depth(limit + 1) {
            check(&server, &message, &error(-32700, "null"));
        }
        assert_eq!(counting.runs(), 0);
    }
}

#[test]
fn a_notification_over_the_depth_limit_gets_an_error() {
    let (server, _) = server();
    let deep = nested("[", 127, "]");
    check(&server, format!(r#"{{"jsonrpc":"2.0","method":"nope","params":{deep}}}"#), &error(-32700, "null"));
}

#[test]
fn brackets_in_strings_and_closed_brackets_add_no_depth() {
    let (server, _) = server();
    for value in [
        format!(r#""{}""#, "[{".repeat(500)),
        format!(r#""\"{}\\""#, "[".repeat(500)),
        format!("[{}[]]", "[],{},".repeat(500)),
        format!(r#"{{"{}":["{}"]}}"#, "{".repeat(500), r#"\\\"["#.repeat(500)),
    ] {
        let request = call("raw", &format!("[{value}]"), 1);
        check(&server, &request, &result(&value, "1"));
        check(&server, batch(&[request.clone(), request]), &format!("[{0},{0}]", result(&value, "1")));
    }
}

#[test]
fn a_million_open_brackets_are_refused() {
    let (server, _) = server();
    for open in ["[", r#"{"a":"#, r#"[{"jsonrpc":"#, "\u{20}["] {
        check(&server, open.repeat(500_000), &error(-32700, "null"));
    }
    check(&server, nested("[", 1_000_000, "]"), &error(-32700, "null"));
    check(&server, call("raw", &nested("[", 1_000_000, "]"), 1), &error(-32700, "null"));
    check(&server, call("nope", &nested("[", 1_000_000, "]"), 1), &error(-32700, "null"));
}

#[test]
fn a_depth_limit_above_the_default_may_be_set() {
    let (server, _) = server();
    let server = server.max_depth(1000);
    let deep = nested("[", 500, "]");
    check(&server, call("raw", &format!("[{deep}]"), 1), &result(&deep, "1"));
    // `serde_json` cannot parse a value of this depth.
    check(&server, call("value", &format!("[{deep}]"), 1), &error(-32602, "1"));
    check(&server, call("raw", &nested("[", 1000, "]"), 1), &error(-32700, "null"));
}

// R34
#[test]
fn a_batch_may_have_as_many_members_as_its_limit() {
    let (server, counting) = counting_service::server();
    let member = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;
    let many = |count: usize| batch(&vec![member.to_owned(); count]);
    for (limited, limit) in [(server.clone().max_batch_members(100), 100), (server.clone(), 1000)] {
        for count in [limit - 1, limit] {
            check(&limited, many(count), &batch(&vec![result("3", "1"); count]));
            assert_eq!(counting.runs(), count);
        }
        for count in [limit + 1, 2 * limit] {
            check(&limited, many(count), &error(-32600, "null"));
        }
        let notes = vec![r#"{"jsonrpc":"2.0","method":"note","params":[1]}"#.to_owned(); limit + 1];
        check(&limited, batch(&notes), &error(-32600, "null"));
        check(&limited, batch(&vec!["1".to_owned(); limit + 1]), &error(-32600, "null"));
        assert_eq!(counting.runs(), 0);
        check(&limited, member, &result("3", "1"));
        counting.runs();
        // Invalid JSON is a parse error at any length.
        for end in ["", ",", "x]", ",]", "}", "] x", "]]"] {
            let cut = many(limit + 1);
            check(&limited, format!("{}{end}", &cut[..cut.len() - 1]), &error(-32700, "null"));
        }
        assert_eq!(counting.runs(), 0);
    }
}

#[test]
fn batches_can_be_turned_off() {
    let (server, counting) = counting_service::server();
    let server = server.max_batch_members(0);
    let member = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;
    check(&server, format!("[{member}]"), &error(-32600, "null"));
    check(&server, "[]", &error(-32600, "null"));
    check(&server, "[1]", &error(-32600, "null"));
    check(&server, "[", &error(-32700, "null"));
    check(&server, format!("[{member}"), &error(-32700, "null"));
    assert_eq!(counting.runs(), 0);
    check(&server, member, &result("3", "1"));
}

#[test]
fn the_response_to_a_batch_may_be_as_long_as_its_limit() {
    let (server, counting) = server();
    let request = batch(&[call("letters", "[3]", 1), call("letters", "[30]", 2), call("raw", "[1]", 3)]);
    let whole = now(server.handle(&request)).expect("a response");
    counting.runs();
    for limit in [whole.len(), whole.len() + 1] {
        check(&server.clone().max_batch_response_bytes(limit), &request, &whole);
        assert_eq!(counting.runs(), 3);
    }
    let (first, second) = (result(r#""xxx""#, "1"), result(&format!(r#""{}""#, "x".repeat(30)), "2"));
    let server = |limit: usize| server.clone().max_batch_response_bytes(limit);
    // The last call runs, but its response does not fit.
    let expected = batch(&[first.clone(), second, error(-32000, "3")]);
    check(&server(whole.len() - 1), &request, &expected);
    assert_eq!(counting.runs(), 3);
    // The second response does not fit, so the third call does not run.
    let expected = batch(&[first.clone(), error(-32000, "2"), error(-32000, "3")]);
    check(&server(whole.len() - first.len()), &request, &expected);
    assert_eq!(counting.runs(), 2);
    check(&server(0), &request, &batch(&[error(-32000, "1"), error(-32000, "2"), error(-32000, "3")]));
    assert_eq!(counting.runs(), 1);
}

#[test]
fn notifications_run_and_errors_keep_their_ids_when_the_response_is_full() {
    let (server, counting) = server();
    let server = server.max_batch_response_bytes(10);
    let note = r#"{"jsonrpc":"2.0","method":"note"}"#.to_owned();
    let request = [note.clone(), call("letters", "[9]", 1), note.clone(), "1".to_owned(), call("nope", "[]", 2), note];
    check(&server, batch(&request), &batch(&[error(-32000, "1"), error(-32000, "null"), error(-32000, "2")]));
    assert_eq!(counting.runs(), 4);
    let notes = vec![r#"{"jsonrpc":"2.0","method":"note"}"#.to_owned(); 3];
    check(&server, batch(&notes), "");
    assert_eq!(counting.runs(), 3);
    check(&server, call("letters", "[30]", 1), &result(&format!(r#""{}""#, "x".repeat(30)), "1"));
}

#[test]
fn responses_count_toward_the_limit_in_the_order_they_complete() {
    let (server, counting) = server();
    let (short, long) = (result(r#""x""#, "1"), result(r#""xxxxxxxxxx""#, "1"));
    let limit = short.len() * 2 + 3;
    let server = server.max_batch_response_bytes(limit);
    // The first call waits. The others complete before it and fill the response.
    let request = batch(&[call("later", "[10]", 1), call("letters", "[1]", 1), call("letters", "[1]", 1)]);
    let mut task = Task::new(server.handle(&request));
    assert!(task.run().is_pending());
    assert_eq!(counting.runs(), 3);
    counting.gate.open();
    let std::task::Poll::Ready(Some(response)) = task.run() else { panic!("no response") };
    let expected = batch(&[error(-32000, "1"), short.clone(), short]);
    assert!(tests::check::is_same(&expected, &response), "{response}");
    assert!(long.len() < limit);
}

#[test]
fn the_brackets_of_a_batch_count_at_any_depth_limit() {
    let (server, _) = server();
    check(&server.max_depth(0), "[1]", &error(-32700, "null"));
}
