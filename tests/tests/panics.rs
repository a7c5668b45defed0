//! A panic costs its own call and nothing else, wherever the user's code has it.

use rpc_core::server::{RawCall, Router, Service};
use rpc_core::{ErrorObject, Server, rpc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use tests::check::{check, internal_error, result};
use tests::task::{Gate, Task, give_way, now};

const SECRET: &str = "secret, in /etc/passwd";

/// Panics when it is read.
#[derive(Debug, Serialize)]
struct Unreadable;

impl<'de> Deserialize<'de> for Unreadable {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("{SECRET}");
    }
}

/// Panics when half of it is written.
#[derive(Debug, Deserialize)]
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;
        serializer.serialize_seq(None)?.serialize_element(SECRET)?;
        panic!("{SECRET}");
    }
}

/// Panics when it is dropped.
#[derive(Debug, Serialize, Deserialize)]
struct Bomb(u8);

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "{SECRET}");
    }
}

/// A future that panics when it is dropped.
struct Trap {
    polls: usize,
    _bomb: Bomb,
}

impl Future for Trap {
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
    async fn unreadable(&self, u: Option<Unreadable>) -> u8;
    async fn unwritable(&self) -> Unwritable;
    async fn bomb_result(&self) -> Bomb;
    async fn bomb_argument(&self, n: Option<u8>, b: Option<Bomb>) -> u8;
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
        give_way().await;
        panic!("{SECRET}");
    }
    async fn payload(&self) -> u8 {
        std::panic::panic_any(Bomb(0));
    }
    async fn unreadable(&self, _: Option<Unreadable>) -> u8 {
        1
    }
    async fn unwritable(&self) -> Unwritable {
        Unwritable
    }
    async fn bomb_result(&self) -> Bomb {
        Bomb(0)
    }
    async fn bomb_argument(&self, n: Option<u8>, _: Option<Bomb>) -> u8 {
        n.unwrap_or_default()
    }
    fn trap(&self) -> impl Future<Output = u8> + Send {
        Trap { polls: 0, _bomb: Bomb(0) }
    }
    fn late_trap(&self) -> impl Future<Output = u8> + Send {
        Trap { polls: 2, _bomb: Bomb(0) }
    }
    async fn fine(&self, wait: Option<u8>) -> u8 {
        if wait.is_some() {
            self.0.passed().await;
        }
        2
    }
}

/// Method and params of each way to panic.
const RISKS: [(&str, &str); 12] = [
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

fn each_risk_costs_its_own_answer<S: Service>(server: &Server<S>) {
    for (method, params) in RISKS {
        let response = now(server.handle(call(method, params, r#","id":1"#)));
        assert_eq!(response, Some(internal_error("1")), "{method}");

        check(server, call(method, params, ""), "");
        check(server, format!("[{0},{0}]", call(method, params, "")), "");

        let risk = call(method, params, r#","id":"risk""#);
        let internal = internal_error(r#""risk""#);
        let fine = call("fine", "[]", r#","id":2"#);
        check(server, format!("[{fine},{risk},{fine}]"), &format!("[{0},{internal},{0}]", result("2", "2")));
        check(server, format!("[{risk},{risk}]"), &format!("[{internal},{internal}]"));
        check(server, &fine, &result("2", "2"));
    }
}

#[test]
fn a_panic_costs_its_own_answer_and_tells_nothing() {
    each_risk_costs_its_own_answer(&Server::new(RiskyService::new(Mine::default())));
}

#[test]
fn a_panic_costs_its_own_answer_in_a_tuple() {
    each_risk_costs_its_own_answer(&Server::new(((RiskyService::new(Mine::default()),),)));
}

#[test]
fn a_panic_costs_its_own_answer_in_a_router() {
    let router = Router::builder().service(RiskyService::new(Mine::default())).build().expect("no name twice");
    each_risk_costs_its_own_answer(&Server::new(router));
}

#[test]
fn a_panic_beside_calls_that_wait_costs_its_own_answer() {
    for (method, params) in RISKS {
        for place in 0..3 {
            let mine = std::sync::Arc::new(Mine::default());
            let server = Server::new(RiskyService::from(mine.clone()));
            let mut members = vec![call("fine", "[1]", r#","id":2"#); 2];
            members.insert(place, call(method, params, r#","id":1"#));
            let mut wanted = vec![result("2", "2"); 2];
            wanted.insert(place, internal_error("1"));
            let request = format!("[{}]", members.join(","));
            let mut task = Task::new(server.handle(&request));
            assert!(task.run().is_pending(), "{method}");
            mine.0.open();
            assert_eq!(task.run(), Poll::Ready(Some(format!("[{}]", wanted.join(",")))), "{method}");
        }
    }
}

#[test]
fn a_panic_in_a_raw_method_costs_its_own_answer() {
    let router = Router::builder()
        .method("before", |_: RawCall| -> std::future::Ready<Result<u8, ErrorObject>> { panic!("{SECRET}") })
        .method("within", async |_: RawCall| -> Result<u8, ErrorObject> { panic!("{SECRET}") })
        .method("bomb", async |_: RawCall| Ok::<_, ErrorObject>(Bomb(0)))
        .method("fine", async |_: RawCall| Ok::<_, ErrorObject>(2))
        .build();
    let server = Server::new(router.expect("no name twice"));
    for method in ["before", "within", "bomb"] {
        let risk = call(method, "[]", r#","id":1"#);
        assert_eq!(now(server.handle(&risk)), Some(internal_error("1")), "{method}");
        check(&server, call(method, "[]", ""), "");
        let fine = call("fine", "[]", r#","id":2"#);
        check(&server, format!("[{risk},{fine}]"), &format!("[{},{}]", internal_error("1"), result("2", "2")));
    }
}

#[test]
fn arguments_of_a_message_that_is_refused_may_panic_when_dropped() {
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
fn calls_that_are_not_made_any_more_may_panic_when_dropped() {
    let server = Server::new(RiskyService::new(Mine::default())).max_batch_response_bytes(1);
    let (fine, bomb) = (call("fine", "[]", r#","id":1"#), call("bomb_argument", "[1,2]", r#","id":2"#));
    let wanted = format!("[{},{}]", tests::check::error(-32000, "1"), tests::check::error(-32000, "2"));
    check(&server, format!("[{fine},{bomb}]"), &wanted);
}
