//! What an observer is shown, in order, on either side.

use rpc_core::client::{PendingCalls, Received};
use rpc_core::observe::{Event, Failure};
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
    async fn unsayable(&self) -> Unsayable;
    async fn exploding(&self, bomb: Bomb) -> i64;
}

struct Unsayable;
impl Serialize for Unsayable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("no words"))
    }
}
impl<'de> serde::Deserialize<'de> for Unsayable {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Unsayable)
    }
}

struct Bomb;
impl<'de> serde::Deserialize<'de> for Bomb {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("boom at /secret/path")
    }
}
impl Serialize for Bomb {
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
    async fn unsayable(&self) -> Unsayable {
        Unsayable
    }
    async fn exploding(&self, _: Bomb) -> i64 {
        0
    }
}

/// What an event says, without its text.
fn brief(event: &Event<'_>) -> String {
    match event {
        Event::Received { kind, id, method, reason, .. } => {
            let id = id.map_or_else(|| "-".to_owned(), ToString::to_string);
            let reason = reason.map_or_else(String::new, |reason| format!(" {reason:?}"));
            format!("received {kind:?} {id} {}{reason}", method.unwrap_or("-"))
        }
        Event::Responded { id, .. } => format!("responded {id}"),
        Event::NoResponse { method, error } => {
            format!("no response {} {}", method.unwrap_or("-"), error.map_or(0, |error| error.code))
        }
        Event::InternalFailure { method, id, cause, detail } => {
            format!("internal {method} {} {cause:?}: {detail}", id.map_or_else(|| "-".to_owned(), ToString::to_string))
        }
        Event::Sent { id, .. } => format!("sent {id:?}"),
        Event::Completed { id, .. } => format!("paired {id}"),
        Event::Failed { id, failure: Failure::Error(error), .. } => format!("failed {id} {}", error.code),
        Event::Failed { id, failure: Failure::Unreadable(error), .. } => format!("failed {id}: {}", error.reason),
        Event::Discarded { reason, .. } => format!("discarded: {reason}"),
        other => format!("{other:?}"),
    }
}

type Seen = Arc<Mutex<Vec<String>>>;

fn watcher() -> (Seen, Arc<dyn rpc_core::observe::Observer>) {
    let seen = Seen::default();
    let list = seen.clone();
    (seen, Arc::new(move |event: &Event<'_>| list.lock().expect("no panic").push(brief(event))))
}

#[test]
fn a_server_shows_each_message_and_what_is_owed() {
    for (message, wanted) in [
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
        let (seen, observer) = watcher();
        now(Server::new(WatchedService::new(Mine)).observer(observer).handle(message));
        assert_eq!(*seen.lock().expect("no panic"), wanted, "{message}");
    }
}

/// R19, R21: the detail is in the log, with the request's id and method, and nowhere else.
#[test]
fn what_a_caller_is_not_told_is_shown_with_its_detail() {
    for (method, params, wanted) in [
        ("panics", "[]", "internal panics 1 Panic: at /secret/path"),
        ("fails", "[]", "internal fails 1 Error: the disk is full"),
        ("unsayable", "[]", "internal unsayable 1 Result: no words"),
        ("exploding", "[1]", "internal exploding 1 Panic: boom at /secret/path"),
    ] {
        let (seen, observer) = watcher();
        let server = Server::new(WatchedService::new(Mine)).observer(observer);
        let call = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        let response = now(server.handle(&call)).expect("an answer");
        assert_eq!(response, r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#);
        let received = format!("received Request 1 {method}");
        assert_eq!(*seen.lock().expect("no panic"), [&received, wanted, "responded 1"]);
    }
}

#[test]
fn a_client_shows_what_it_sends_and_what_becomes_of_it() {
    let (seen, observer) = watcher();
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
    let wanted = [
        "sent Some(1)",
        "sent Some(2)",
        "sent Some(3)",
        "sent None",
        "paired 1",
        "failed 2 7",
        "failed 3: `method` is missing, and so are `result` and `error`",
        "discarded: no pending call has the id 1",
        "discarded: the response has no `id`",
        "discarded: the message is not JSON",
        "received Notification - other/didFocus",
    ];
    assert_eq!(*seen.lock().expect("no panic"), wanted);
}

/// R57: with one call waiting, an error under the id null can only be its own; with several nobody
/// can tell, and it is shown.
#[test]
fn an_error_under_null_ends_the_only_call_and_no_other() {
    let unknown = r#"{"jsonrpc":"2.0","id":99999,"result":1}"#;
    let null = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    for (waiting, ended) in [(1, vec!["discarded: no pending call has the id 99999", "failed 1 -32700"]), (2, vec![])] {
        let (seen, observer) = watcher();
        let mut calls = PendingCalls::new().pair_responses_without_id().observer(observer);
        for _ in 0..waiting {
            calls.call("ask", &[1]).expect("plain data");
        }
        seen.lock().expect("no panic").clear();
        calls.receive(unknown.as_bytes());
        let events = calls.receive(null.as_bytes());
        if ended.is_empty() {
            assert!(matches!(events[..], [Received::Discarded(_)]));
            assert_eq!(calls.pending().count(), waiting);
            assert!(seen.lock().expect("no panic")[1].starts_with("discarded: an error response under the id null"));
        } else {
            assert_eq!(*seen.lock().expect("no panic"), ended);
            assert_eq!(calls.pending().count(), 0);
        }
    }
}

/// What is shown as answered is what is sent, and every call is answered once.
#[test]
fn a_batch_that_is_full_shows_the_answers_that_are_sent() {
    let answered = Arc::new(Mutex::new(vec![]));
    let list = answered.clone();
    let server = Server::new(WatchedService::new(Mine)).max_batch_response_bytes(60).observer(Arc::new(
        move |event: &Event<'_>| {
            if let Event::Responded { text, .. } = event {
                list.lock().expect("no panic").push(String::from_utf8_lossy(text).into_owned());
            }
        },
    ));
    let calls: Vec<_> =
        (1..=4).map(|id| format!(r#"{{"jsonrpc":"2.0","method":"add","params":[1,2],"id":{id}}}"#)).collect();
    let sent = now(server.handle(format!("[{}]", calls.join(",")))).expect("an answer");
    let shown = answered.lock().expect("no panic").join(",");
    assert_eq!(format!("[{shown}]"), sent);
    assert_eq!(sent.matches("-32000").count(), 3);
}

#[test]
fn a_panic_of_the_observer_changes_no_answer() {
    let server = Server::new(WatchedService::new(Mine)).observer(Arc::new(|_: &Event<'_>| panic!("as it should")));
    let response = now(server.handle(r#"[{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}]"#));
    assert_eq!(response.as_deref(), Some(r#"[{"jsonrpc":"2.0","result":3,"id":1}]"#));
}
