//! The events that an observer sees, in order, on the server and on the client.

use rpc_core::client::{PendingCalls, Received};
use rpc_core::observe::{Event, EventKind, Failure};
use rpc_core::{ErrorObject, Internal, Server, rpc};
use serde::Serialize;
use std::sync::{Arc, Mutex};
use tests::task::now;

#[rpc]
trait Watched {
    async fn add(&self, a: i64, b: i64) -> i64;
    async fn panics(&self) -> i64;
    async fn fails(&self) -> Result<(), Internal>;
    async fn refuses(&self) -> Result<(), ErrorObject>;
    async fn unsayable(&self) -> Unserializable;
    async fn exploding(&self, bomb: PanicsInDecode) -> i64;
}

struct Unserializable;
impl Serialize for Unserializable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("no words"))
    }
}
impl<'de> serde::Deserialize<'de> for Unserializable {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Unserializable)
    }
}

struct PanicsInDecode;
impl<'de> serde::Deserialize<'de> for PanicsInDecode {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("boom at /secret/path")
    }
}
impl Serialize for PanicsInDecode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

struct Mine;

impl Watched for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn panics(&self) -> i64 {
        panic!("at /secret/path")
    }
    async fn fails(&self) -> Result<(), Internal> {
        Err(std::io::Error::other("the disk is full"))?
    }
    async fn refuses(&self) -> Result<(), ErrorObject> {
        Err(ErrorObject::new(7, "no"))
    }
    async fn unsayable(&self) -> Unserializable {
        Unserializable
    }
    async fn exploding(&self, _: PanicsInDecode) -> i64 {
        0
    }
}

/// Formats an event without its text.
fn format_event(event: &Event<'_>) -> String {
    match event.kind {
        EventKind::Received { kind, id, method, reason, .. } => {
            let id = id.map_or_else(|| "-".to_owned(), ToString::to_string);
            let reason = reason.map_or_else(String::new, |reason| format!(" {reason:?}"));
            format!("received {kind:?} {id} {}{reason}", method.unwrap_or("-"))
        }
        EventKind::Responded { id, .. } => format!("responded {id}"),
        EventKind::NoResponse { method, error } => {
            format!("no response {} {}", method.unwrap_or("-"), error.map_or(0, |error| error.code))
        }
        EventKind::InternalFailure { method, id, cause, detail } => {
            format!("internal {method} {} {cause:?}: {detail}", id.map_or_else(|| "-".to_owned(), ToString::to_string))
        }
        EventKind::Sent { id, .. } => format!("sent {id:?}"),
        EventKind::Completed { id, .. } => format!("completed {id}"),
        EventKind::Failed { id, failure: Failure::Error(error), .. } => format!("failed {id} {}", error.code),
        EventKind::Failed { id, failure: Failure::Unreadable(error), .. } => format!("failed {id}: {}", error.reason),
        EventKind::Discarded { reason, .. } => format!("discarded: {reason}"),
        other => format!("{other:?}"),
    }
}

type Seen = Arc<Mutex<Vec<String>>>;

fn recorder() -> (Seen, Arc<dyn rpc_core::observe::Observer>) {
    let seen = Seen::default();
    let list = seen.clone();
    (seen, Arc::new(move |event: &Event<'_>| list.lock().expect("no panic").push(format_event(event))))
}

#[test]
fn a_server_reports_each_message_and_its_response() {
    for (message, expected) in [
        (r#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#, &["received Request 1 add", "responded 1"][..]),
        (r#"{"jsonrpc":"2.0","method":"add","params":[1,2]}"#, &["received Notification - add", "no response add 0"]),
        (r#"{"jsonrpc":"2.0","method":"nope"}"#, &["received Notification - nope", "no response nope -32601"]),
        (
            r#"{"jsonrpc":"2.0","method":"add","params":[1]}"#,
            &["received Notification - add", "no response add -32602"],
        ),
        (r#"{"jsonrpc":"2.0","method":"refuses"}"#, &["received Notification - refuses", "no response refuses 7"]),
        (r#"{"jsonrpc":"2.0","method":1,"id":2}"#, &["received Invalid 2 - MethodNotString", "responded 2"]),
        (
            r#"{"jsonrpc":"2.0","result":1,"id":3}"#,
            &["received Response 3 -", "discarded: no pending call has the id 3"],
        ),
        ("not json", &["received Unreadable - - NotJson", "responded null"]),
        ("[]", &["received Invalid - - BatchEmpty", "responded null"]),
        (
            r#"[{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1},7]"#,
            &["received Request 1 add", "received Invalid - - NotAnObject", "responded 1", "responded null"],
        ),
    ] {
        let (seen, observer) = recorder();
        now(Server::new(WatchedService::new(Mine)).observer(observer).handle(message));
        assert_eq!(*seen.lock().expect("no panic"), expected, "{message}");
    }
}

/// R19, R21: only the event has the detail, with the id and the method of the request.
#[test]
fn an_internal_failure_is_reported_with_its_detail() {
    for (method, params, expected) in [
        ("panics", "[]", "internal panics 1 Panic: at /secret/path"),
        ("fails", "[]", "internal fails 1 Error: the disk is full"),
        ("unsayable", "[]", "internal unsayable 1 Result: no words"),
        ("exploding", "[1]", "internal exploding 1 Panic: boom at /secret/path"),
    ] {
        let (seen, observer) = recorder();
        let server = Server::new(WatchedService::new(Mine)).observer(observer);
        let call = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        let response = now(server.handle(&call)).expect("a response");
        assert_eq!(response, r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#);
        let received = format!("received Request 1 {method}");
        assert_eq!(*seen.lock().expect("no panic"), [&received, expected, "responded 1"]);
    }
}

#[test]
fn a_client_reports_what_it_sends_and_each_outcome() {
    let (seen, observer) = recorder();
    let mut calls = PendingCalls::new().observer(observer);
    for _ in 0..3 {
        calls.call("ask", &[1]).expect("plain data");
    }
    calls.notify("tell", &[1]).expect("plain data");
    for message in [
        r#"{"jsonrpc":"2.0","result":1,"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":7,"message":"no"},"id":2}"#,
        r#"{"jsonrpc":"2.0","id":3}"#,
        r#"{"jsonrpc":"2.0","result":1,"id":1}"#,
        r#"{"jsonrpc":"2.0","result":1}"#,
        "garbage",
        r#"{"jsonrpc":"2.0","method":"other/didFocus","params":[]}"#,
    ] {
        calls.receive(message.as_bytes());
    }
    let expected = [
        "sent Some(1)",
        "sent Some(2)",
        "sent Some(3)",
        "sent None",
        "completed 1",
        "failed 2 7",
        "failed 3: `method` is missing, and so are `result` and `error`",
        "discarded: no pending call has the id 1",
        "discarded: the response has no `id`",
        "discarded: the message is not JSON",
        "received Notification - other/didFocus",
    ];
    assert_eq!(*seen.lock().expect("no panic"), expected);
}

/// R57: an error with a null id belongs to the only pending call. If several are pending, it is discarded and reported.
#[test]
fn an_error_with_a_null_id_completes_the_only_pending_call_and_no_other() {
    let unknown = r#"{"jsonrpc":"2.0","id":99999,"result":1}"#;
    let null = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    for (pending, events) in [(1, vec!["discarded: no pending call has the id 99999", "failed 1 -32700"]), (2, vec![])]
    {
        let (seen, observer) = recorder();
        let mut calls = PendingCalls::new().pair_responses_without_id().observer(observer);
        for _ in 0..pending {
            calls.call("ask", &[1]).expect("plain data");
        }
        seen.lock().expect("no panic").clear();
        calls.receive(unknown.as_bytes());
        let received = calls.receive(null.as_bytes());
        if events.is_empty() {
            assert!(matches!(received[..], [Received::Discarded(_)]));
            assert_eq!(calls.pending().count(), pending);
            assert!(seen.lock().expect("no panic")[1].starts_with("discarded: an error response under the id null"));
        } else {
            assert_eq!(*seen.lock().expect("no panic"), events);
            assert_eq!(calls.pending().count(), 0);
        }
    }
}

/// The reported responses are those that are sent, one for each call.
#[test]
fn a_full_batch_response_is_reported_as_it_is_sent() {
    let responses = Arc::new(Mutex::new(vec![]));
    let list = responses.clone();
    let server = Server::new(WatchedService::new(Mine)).max_batch_response_bytes(60).observer(Arc::new(
        move |event: &Event<'_>| {
            if let EventKind::Responded { text, .. } = event.kind {
                list.lock().expect("no panic").push(String::from_utf8_lossy(text).into_owned());
            }
        },
    ));
    let calls: Vec<_> =
        (1..=4).map(|id| format!(r#"{{"jsonrpc":"2.0","method":"add","params":[1,2],"id":{id}}}"#)).collect();
    let sent = now(server.handle(format!("[{}]", calls.join(",")))).expect("a response");
    let reported = responses.lock().expect("no panic").join(",");
    assert_eq!(format!("[{reported}]"), sent);
    assert_eq!(sent.matches("-32000").count(), 3);
}

#[test]
fn a_panic_of_the_observer_changes_no_response() {
    let server = Server::new(WatchedService::new(Mine)).observer(Arc::new(|_: &Event<'_>| panic!("on purpose")));
    let response = now(server.handle(r#"[{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}]"#));
    assert_eq!(response.as_deref(), Some(r#"[{"jsonrpc":"2.0","result":3,"id":1}]"#));
}
