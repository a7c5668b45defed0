//! A panic fails only its own call, wherever user code panics.

use rpc_core::server::{RawCall, Router, Service};
use rpc_core::{ErrorObject, Server, rpc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use tests::check::{check, internal_error, result};
use tests::task::{Gate, Task, now, yield_now};

const SECRET: &str = "secret, in /etc/passwd";

/// Panics when it is deserialised.
#[derive(Debug, Serialize)]
struct PanicsInDecode;

impl<'de> Deserialize<'de> for PanicsInDecode {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("{SECRET}");
    }
}

/// Panics after its first element is serialised.
#[derive(Debug, Deserialize)]
struct PanicsInEncode;

impl Serialize for PanicsInEncode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;
        serializer.serialize_seq(None)?.serialize_element(SECRET)?;
        panic!("{SECRET}");
    }
}

/// Panics when it is dropped, unless the thread is panicking.
#[derive(Debug, Serialize, Deserialize)]
struct PanicsInDrop(u8);

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "{SECRET}");
    }
}

/// A future that is pending `polls` times and panics when it is dropped.
struct FuturePanicsInDrop {
    polls: usize,
    _value: PanicsInDrop,
}

impl Future for FuturePanicsInDrop {
    type Output = u8;
    fn poll(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<u8> {
        if self.polls == 0 {
            return Poll::Ready(1);
        }
        self.polls -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[rpc]
trait Risky {
    fn at_once(&self) -> u8;
    async fn first_poll(&self) -> u8;
    async fn after_await(&self) -> u8;
    async fn payload(&self) -> u8;
    async fn unreadable(&self, u: Option<PanicsInDecode>) -> u8;
    async fn unwritable(&self) -> PanicsInEncode;
    async fn bomb_result(&self) -> PanicsInDrop;
    async fn bomb_argument(&self, n: Option<u8>, b: Option<PanicsInDrop>) -> u8;
    async fn trap(&self) -> u8;
    async fn late_trap(&self) -> u8;
    async fn fine(&self, wait: Option<u8>) -> u8;
}

#[derive(Default)]
struct Mine(Gate);

impl Risky for Mine {
    fn at_once(&self) -> u8 {
        panic!("{SECRET}");
    }
    async fn first_poll(&self) -> u8 {
        panic!("{SECRET}");
    }
    async fn after_await(&self) -> u8 {
        yield_now().await;
        panic!("{SECRET}");
    }
    async fn payload(&self) -> u8 {
        std::panic::panic_any(PanicsInDrop(0));
    }
    async fn unreadable(&self, _: Option<PanicsInDecode>) -> u8 {
        1
    }
    async fn unwritable(&self) -> PanicsInEncode {
        PanicsInEncode
    }
    async fn bomb_result(&self) -> PanicsInDrop {
        PanicsInDrop(0)
    }
    async fn bomb_argument(&self, n: Option<u8>, _: Option<PanicsInDrop>) -> u8 {
        n.unwrap_or_default()
    }
    fn trap(&self) -> impl Future<Output = u8> + Send {
        FuturePanicsInDrop { polls: 0, _value: PanicsInDrop(0) }
    }
    fn late_trap(&self) -> impl Future<Output = u8> + Send {
        FuturePanicsInDrop { polls: 2, _value: PanicsInDrop(0) }
    }
    async fn fine(&self, wait: Option<u8>) -> u8 {
        if wait.is_some() {
            self.0.passed().await;
        }
        2
    }
}

/// The method and the params of each way to panic.
const PANICS: [(&str, &str); 12] = [
    ("at_once", "[]"),
    ("first_poll", "[]"),
    ("after_await", "[]"),
    ("payload", "[]"),
    ("unreadable", "[1]"),
    ("unreadable", r#"{"u":1}"#),
    ("unwritable", "[]"),
    ("bomb_result", "[]"),
    ("bomb_argument", "[1,2]"),
    ("bomb_argument", r#"{"b":2,"n":"wrong"}"#),
    ("trap", "[]"),
    ("late_trap", "[]"),
];

fn call(method: &str, params: &str, id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}{id}}}"#)
}

fn each_panic_fails_only_its_own_call<S: Service>(server: &Server<S>) {
    for (method, params) in PANICS {
        let response = now(server.handle(call(method, params, r#","id":1"#)));
        assert_eq!(response, Some(internal_error("1")), "{method}");

        check(server, call(method, params, ""), "");
        check(server, format!("[{0},{0}]", call(method, params, "")), "");

        let panics = call(method, params, r#","id":"panics""#);
        let internal = internal_error(r#""panics""#);
        let fine = call("fine", "[]", r#","id":2"#);
        check(server, format!("[{fine},{panics},{fine}]"), &format!("[{0},{internal},{0}]", result("2", "2")));
        check(server, format!("[{panics},{panics}]"), &format!("[{internal},{internal}]"));
        check(server, &fine, &result("2", "2"));
    }
}

#[test]
fn a_panic_fails_only_its_own_call_and_reveals_nothing() {
    each_panic_fails_only_its_own_call(&Server::new(RiskyService::new(Mine::default())));
}

#[test]
fn a_panic_in_a_tuple_fails_only_its_own_call() {
    each_panic_fails_only_its_own_call(&Server::new(((RiskyService::new(Mine::default()),),)));
}

#[test]
fn a_panic_in_a_router_fails_only_its_own_call() {
    let router = Router::builder().service(RiskyService::new(Mine::default())).build().expect("no duplicate name");
    each_panic_fails_only_its_own_call(&Server::new(router));
}

#[test]
fn a_panic_beside_waiting_calls_fails_only_its_own_call() {
    for (method, params) in PANICS {
        for index in 0..3 {
            let mine = std::sync::Arc::new(Mine::default());
            let server = Server::new(RiskyService::from(mine.clone()));
            let mut members = vec![call("fine", "[1]", r#","id":2"#); 2];
            members.insert(index, call(method, params, r#","id":1"#));
            let mut expected = vec![result("2", "2"); 2];
            expected.insert(index, internal_error("1"));
            let request = format!("[{}]", members.join(","));
            let mut task = Task::new(server.handle(&request));
            assert!(task.run().is_pending(), "{method}");
            mine.0.open();
            assert_eq!(task.run(), Poll::Ready(Some(format!("[{}]", expected.join(",")))), "{method}");
        }
    }
}

#[test]
fn a_panic_in_a_raw_method_fails_only_its_own_call() {
    let router = Router::builder()
        .method("before", |_: RawCall| -> std::future::Ready<Result<u8, ErrorObject>> { panic!("{SECRET}") })
        .method("within", async |_: RawCall| -> Result<u8, ErrorObject> { panic!("{SECRET}") })
        .method("bomb", async |_: RawCall| Ok::<_, ErrorObject>(PanicsInDrop(0)))
        .method("fine", async |_: RawCall| Ok::<_, ErrorObject>(2))
        .build();
    let server = Server::new(router.expect("no duplicate name"));
    for method in ["before", "within", "bomb"] {
        let panics = call(method, "[]", r#","id":1"#);
        assert_eq!(now(server.handle(&panics)), Some(internal_error("1")), "{method}");
        check(&server, call(method, "[]", ""), "");
        let fine = call("fine", "[]", r#","id":2"#);
        check(&server, format!("[{panics},{fine}]"), &format!("[{},{}]", internal_error("1"), result("2", "2")));
    }
}

#[test]
fn arguments_of_a_refused_message_may_panic_when_dropped() {
    let server = Server::new(RiskyService::new(Mine::default()));
    let bomb = call("bomb_argument", "[1,2]", r#","id":1"#);
    for message in [format!("{bomb} x"), format!("[{bomb},"), format!("[{bomb},x]"), format!("[{bomb}] x")] {
        check(&server, message, &tests::check::error(-32700, "null"));
    }
    let many = server.clone().max_batch_members(1);
    check(&many, format!("[{bomb},{bomb}]"), &tests::check::error(-32600, "null"));
    let twice = r#"{"jsonrpc":"2.0","method":"bomb_argument","params":[1,2],"id":1,"id":1}"#;
    check(&server, twice, &tests::check::error(-32600, "null"));
}

#[test]
fn arguments_of_calls_that_are_skipped_may_panic_when_dropped() {
    let server = Server::new(RiskyService::new(Mine::default())).max_batch_response_bytes(1);
    let (fine, bomb) = (call("fine", "[]", r#","id":1"#), call("bomb_argument", "[1,2]", r#","id":2"#));
    let expected = format!("[{},{}]", tests::check::error(-32000, "1"), tests::check::error(-32000, "2"));
    check(&server, format!("[{fine},{bomb}]"), &expected);
}
