//! Middleware: its effects on calls and batches, and that one without effects changes no response.

use examples::demo::{DemoService, MyDemo};
use rpc_core::connection::Connection;
use rpc_core::observe::{Event, EventKind};
use rpc_core::server::{BatchInfo, ErrorCode, Middleware, Next, RawCall, Responded, Router, Service};
use rpc_core::transport::memory;
use rpc_core::{ClientError, Context, ErrorObject, Server, block_on, rpc};
use std::sync::{Arc, Mutex};
use tests::executor::Executor;
use tests::task::{now, yield_now};
use tests::vectors;

/// A middleware without effects.
struct Through;

impl Middleware for Through {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
        next.run().await
    }
}

#[rpc(namespace = "calc")]
trait Calc {
    async fn add(&self, a: i64, b: i64) -> i64;
    async fn fail(&self) -> Result<(), ErrorObject>;
    async fn user(&self, #[rpc(context)] context: &Context<'_>) -> Option<String>;
    #[rpc(notification)]
    async fn note(&self, n: u8);
}

#[derive(Clone, Default)]
struct Mine(Arc<Mutex<Vec<String>>>);

impl Mine {
    fn record(&self, line: impl Into<String>) {
        self.0.lock().expect("not poisoned").push(line.into());
    }

    fn take_lines(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("not poisoned"))
    }
}

impl Calc for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        self.record("add");
        a + b
    }
    async fn fail(&self) -> Result<(), ErrorObject> {
        yield_now().await;
        Err(ErrorObject::new(7, "no"))
    }
    async fn user(&self, context: &Context<'_>) -> Option<String> {
        context.extension::<User>().map(|user| user.0.clone())
    }
    async fn note(&self, n: u8) {
        self.record(format!("note {n}"));
    }
}

struct User(String);

/// Records each call and its error code, prefixed with a name.
struct Log(&'static str, Mine);

impl Middleware for Log {
    async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Responded {
        let (name, id) = (next.context().method().to_owned(), next.context().id().map(|id| id.as_token().to_owned()));
        let served = next.method().map(|method| method.name().to_owned());
        let params = next.params().map_or("none", |params| params.get()).to_owned();
        self.1.record(format!("{} > {name} {id:?} {served:?} {params}", self.0));
        let error_code: ErrorCode = next.error_code();
        let responded = next.run().await;
        self.1.record(format!("{} < {:?}", self.0, error_code.get()));
        responded
    }
}

/// Refuses, responds, panics or continues, as the params require.
struct Scripted;

impl Middleware for Scripted {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
        match next.params().map_or("", |params| params.get()) {
            r#"["refuse"]"# => next.refuse(&ErrorObject::new(401, "who are you?")),
            r#"["respond"]"# => next.respond(&"from the door"),
            r#"["panic"]"# => panic!("at the door"),
            _ => next.run().await,
        }
    }
}

fn call(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"calc.{method}","params":{params},"id":1}}"#)
}

#[test]
fn a_middleware_without_effects_changes_no_response() {
    let plain = Server::new(DemoService::new(MyDemo));
    let layered = Server::new(DemoService::new(MyDemo).layer(Through).layer(Through));
    for vector in vectors::server() {
        let (expected, response) = (block_on(plain.handle(&vector.request)), block_on(layered.handle(&vector.request)));
        assert_eq!(response, expected, "{}", vector.name);
    }
}

#[test]
fn a_middleware_sees_calls_notifications_batch_members_and_unknown_methods() {
    let mine = Mine::default();
    let server = Server::new(CalcService::new(mine.clone()).layer(Log("log", mine.clone())));
    let check_lines = |message: &str, expected: &[&str]| {
        now(server.handle(message));
        assert_eq!(mine.take_lines(), expected, "{message}");
    };
    let add = r#"log > calc.add Some("1") Some("calc.add") [1, 2]"#;
    check_lines(&call("add", "[1, 2]"), &[add, "add", "log < None"]);
    check_lines(
        r#"{"jsonrpc":"2.0","method":"calc.note","params":{"n":3}}"#,
        &[r#"log > calc.note None Some("calc.note") {"n":3}"#, "note 3", "log < None"],
    );
    check_lines(
        &format!("[{},{}]", call("add", "[1, 2]"), call("fail", "null")),
        &[add, "add", "log < None", r#"log > calc.fail Some("1") Some("calc.fail") none"#, "log < Some(7)"],
    );
    check_lines(&call("nope", "[]"), &[r#"log > calc.nope Some("1") None []"#, "log < Some(-32601)"]);
    check_lines(
        &call("add", r#"["x"]"#),
        &[r#"log > calc.add Some("1") Some("calc.add") ["x"]"#, "log < Some(-32602)"],
    );
    // Invalid messages are not calls.
    check_lines("[1]", &[]);
    check_lines("{", &[]);
}

#[test]
fn a_middleware_refuses_or_responds_before_the_params_are_decoded() {
    let mine = Mine::default();
    let server = Server::new(CalcService::new(mine.clone()).layer(Scripted));
    for (params, response) in [
        (r#"["refuse"]"#, Some(r#"{"jsonrpc":"2.0","error":{"code":401,"message":"who are you?"},"id":1}"#)),
        (r#"["respond"]"#, Some(r#"{"jsonrpc":"2.0","result":"from the door","id":1}"#)),
        (r#"["panic"]"#, Some(r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#)),
        ("[1,2]", Some(r#"{"jsonrpc":"2.0","result":3,"id":1}"#)),
    ] {
        assert_eq!(now(server.handle(call("add", params))).as_deref(), response, "{params}");
        // A notification has no response, whatever the middleware returns.
        let notification = call("note", params).replace(r#","id":1"#, "");
        assert_eq!(now(server.handle(notification)), None, "{params}");
    }
    assert_eq!(*mine.0.lock().expect("not poisoned"), ["add"]);
}

/// Adds a user to the call with the id 1.
struct AddUser;

impl Middleware for AddUser {
    async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Responded {
        if next.context().id().is_some_and(|id| id.as_u64() == Some(1)) {
            next.insert(User("Ada".to_owned()));
            next.insert(7_u8);
        }
        next.run().await
    }
}

#[test]
fn an_extension_of_a_middleware_reaches_only_the_method_of_its_call() {
    let server = Server::new(CalcService::new(Mine::default()).layer(AddUser));
    let batch = r#"[{"jsonrpc":"2.0","method":"calc.user","id":1},{"jsonrpc":"2.0","method":"calc.user","id":2}]"#;
    let response = r#"[{"jsonrpc":"2.0","result":"Ada","id":1},{"jsonrpc":"2.0","result":null,"id":2}]"#;
    assert_eq!(now(server.handle(batch)).as_deref(), Some(response));
}

#[test]
fn the_last_layer_is_the_outermost() {
    let mine = Mine::default();
    let service = CalcService::new(mine.clone()).layer(Log("inner", mine.clone())).layer(Log("outer", mine.clone()));
    now(Server::new(service).handle(call("add", "[1,2]")));
    let seen = mine
        .0
        .lock()
        .expect("not poisoned")
        .iter()
        .map(|line| line[..line.len().min(7)].to_owned())
        .collect::<Vec<_>>();
    assert_eq!(seen, ["outer >", "inner >", "add", "inner <", "outer <"]);
}

#[test]
fn a_middleware_sees_the_calls_of_a_connection() {
    let server = Server::new(CalcService::new(Mine::default()).layer(Scripted));
    let (one, other) = memory::pair(1 << 10);
    let (_, serving) = Connection::builder(server).extension(User("everybody".to_owned())).over(one);
    let (peer, calling) = Connection::builder(Server::new(())).over(other);
    let mut executor = Executor::new();
    let _running = (executor.spawn(serving.run()), executor.spawn(calling.run()));
    let calc = CalcClient::new(peer);
    assert_eq!(executor.block_on(calc.add(1, 2)).expect("a sum"), 3);
    assert_eq!(executor.block_on(calc.user()).expect("a name").as_deref(), Some("everybody"));
}

/// Records extra members of requests, and the counts of batches. Refuses a batch of more calls than its limit.
struct BatchLog(&'static str, usize, Mine);

impl Middleware for BatchLog {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
        let member = |name| next.member(name).map_or("-", |value| value.get());
        self.2.record(format!("{}: {} {} {}", self.0, member("trace"), member("Trace"), member("id")));
        next.run().await
    }
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        let (members, calls, notifications) = (batch.members(), batch.calls(), batch.notifications());
        let user = batch.extension::<User>().map_or("none", |user| &user.0);
        self.2.record(format!("{}: {members} = {calls} + {notifications}, {user}", self.0));
        assert!(calls != 5, "five is too many");
        if calls > self.1 { Err(ErrorObject::new(429, format!("too many for {}", self.0))) } else { Ok(()) }
    }
}

#[rpc(namespace = "traced")]
trait Traced {
    async fn trace(&self, #[rpc(context)] context: &Context<'_>) -> Option<String>;
}

impl Traced for Mine {
    async fn trace(&self, context: &Context<'_>) -> Option<String> {
        yield_now().await;
        context.member("trace").map(|value| value.get().to_owned())
    }
}

/// Returns the response to a message and the recorded lines, which must not depend on an observer.
#[track_caller]
fn handle<S: Service>(make: impl Fn(Mine) -> S, message: &str) -> (String, Vec<String>) {
    let handle = |is_observed: bool| {
        let mine = Mine::default();
        let mut server = Server::new(make(mine.clone()));
        if is_observed {
            server = server.observer(Arc::new(|_: &Event<'_>| {}));
        }
        let response = now(server.handle(message)).unwrap_or_default();
        (response, mine.take_lines())
    };
    let (plain, observed) = (handle(false), handle(true));
    assert_eq!(plain, observed, "{message}");
    plain
}

fn nested(mine: Mine) -> impl Service {
    let inner = TracedService::new(mine.clone()).layer(BatchLog("inner", 2, mine.clone()));
    inner.layer(BatchLog("outer", 3, mine))
}

#[test]
fn extra_members_of_a_request_are_visible_to_the_middleware_and_to_the_method() {
    let trace = |id: u8, extra: &str| format!(r#"{{"jsonrpc":"2.0","method":"traced.trace","id":{id}{extra}}}"#);
    let result = |id: u8, result: &str| format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#);
    for (extra, seen, responded) in [
        ("", "- - -", "null"),
        (r#","trace":{"a": 1}"#, r#"{"a": 1} - -"#, r#""{\"a\": 1}""#),
        (r#","trac\u0065":7,"Trace":8"#, "7 8 -", r#""7""#),
        // The last of several members counts. A name that no Rust string can hold is ignored.
        (r#","trace":1,"\ud800":2,"trace":null"#, "null - -", r#""null""#),
    ] {
        let (response, lines) = handle(nested, &trace(1, extra));
        assert_eq!(response, result(1, responded), "{extra}");
        assert_eq!(lines, [format!("outer: {seen}"), format!("inner: {seen}")], "{extra}");
        // In a batch, each member has its own.
        let batch = format!("[{},{},{}]", trace(1, extra), trace(2, ""), trace(3, extra));
        let (response, lines) = handle(|mine| TracedService::new(mine.clone()).layer(BatchLog("one", 9, mine)), &batch);
        assert_eq!(response, format!("[{},{},{}]", result(1, responded), result(2, "null"), result(3, responded)));
        let (seen, none) = (format!("one: {seen}"), "one: - - -".to_owned());
        assert_eq!(lines[1..], [seen.clone(), none, seen], "{extra}");
    }
    // Without middleware, and behind a router.
    let message = trace(4, r#","trace":[]"#);
    assert_eq!(handle(TracedService::new, &message).0, result(4, r#""[]""#));
    let router = |mine| Router::builder().service(TracedService::new(mine)).build().expect("no duplicate name");
    assert_eq!(handle(router, &message).0, result(4, r#""[]""#));
    // Together with an extension of a middleware.
    let (response, _) = handle(
        |mine: Mine| (CalcService::new(mine.clone()), TracedService::new(mine)).layer(AddUser),
        &format!("[{},{}]", call("user", "[]").replace('}', r#","trace":1}"#), trace(1, r#","trace":1"#)),
    );
    assert_eq!(response, format!("[{},{}]", result(1, r#""Ada""#), result(1, r#""1""#)));
}

#[test]
fn a_middleware_sees_a_whole_batch_before_any_of_its_calls_runs() {
    let (add, note) = (call("add", "[1,2]"), r#"{"jsonrpc":"2.0","method":"calc.note","params":[3]}"#);
    let one = |mine: Mine| CalcService::new(mine.clone()).layer(BatchLog("one", 2, mine));
    let stray = r#"{"jsonrpc":"2.0","result":1,"id":9}"#;
    let (response, lines) = handle(one, &format!("[{add},{note},7,{stray},{}]", call("nope", "[]")));
    assert!(response.starts_with(r#"[{"jsonrpc":"2.0","result":3,"id":1},{"#), "{response}");
    assert_eq!(lines, ["one: 5 = 2 + 1, none", "one: - - -", "add", "one: - - -", "note 3", "one: - - -"]);
    // Over the limit there is one response with a null id, and no call runs.
    let refused =
        |name: &str| format!(r#"{{"jsonrpc":"2.0","error":{{"code":429,"message":"too many for {name}"}},"id":null}}"#);
    let (response, lines) = handle(one, &format!("[{add},{note},{add},{add}]"));
    assert_eq!((response, &lines[..]), (refused("one"), &["one: 4 = 3 + 1, none".to_owned()][..]));
    let (response, lines) = handle(one, &format!("[{note}]"));
    assert_eq!((&*response, &*lines[0]), ("", "one: 1 = 0 + 1, none"));
    // A panic refuses the batch with an internal error.
    let (response, _) = handle(one, &format!("[{add},{add},{add},{add},{add}]"));
    assert_eq!(response, r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":null}"#);
    // `batch` is not called for single and for invalid messages.
    assert_eq!(handle(one, &add).1, ["one: - - -", "add"]);
    for text in ["[]", "[1", "[{}]]"] {
        assert!(handle(one, text).1.is_empty(), "{text}");
    }
    // The outermost layer sees the batch first. Each layer may refuse it.
    let add = r#"{"jsonrpc":"2.0","method":"traced.trace","id":1}"#;
    let (response, lines) = handle(nested, &format!("[{add},{add},{add}]"));
    assert_eq!((response, lines.len()), (refused("inner"), 2));
    let (response, lines) = handle(nested, &format!("[{add},{add},{add},{add}]"));
    assert_eq!((response, &lines[..]), (refused("outer"), &["outer: 4 = 4 + 0, none".to_owned()][..]));
}

#[test]
fn a_middleware_inside_a_tuple_or_a_router_sees_the_whole_batch() {
    let batch = format!("[{0},{0},{0}]", call("add", "[1,2]"));
    let refused = r#"{"jsonrpc":"2.0","error":{"code":429,"message":"too many for deep"},"id":null}"#;
    let deep = |mine: Mine| TracedService::new(mine.clone()).layer(BatchLog("deep", 2, mine));
    let (response, lines) = handle(|mine: Mine| (CalcService::new(mine.clone()), deep(mine)), &batch);
    assert_eq!((&*response, lines.len()), (refused, 1));
    let router = |mine: Mine| Router::builder().service(CalcService::new(mine.clone())).service(deep(mine));
    let (response, lines) = handle(|mine| router(mine).build().expect("no duplicate name"), &batch);
    assert_eq!((&*response, lines.len()), (refused, 1));
    let through = |mine| router(mine).build().expect("no duplicate name").layer(Through);
    assert_eq!(handle(through, &batch).0, refused);
}

#[test]
fn a_batch_of_a_connection_has_the_extensions_of_the_connection() {
    let mine = Mine::default();
    let server = Server::new(CalcService::new(mine.clone()).layer(BatchLog("one", 1, mine.clone())));
    let (one, other) = memory::pair(1 << 10);
    let (_peer, serving) = Connection::builder(server).extension(User("Ada".to_owned())).over(one);
    let (peer, calling) = Connection::builder(Server::new(())).over(other);
    let mut executor = Executor::new();
    let _running = (executor.spawn(serving.run()), executor.spawn(calling.run()));
    let calc = CalcClient::new(peer);
    let refused = executor.block_on(async move { calc.batch((calc.add(1, 2), calc.add(3, 4))).await.map(|_| ()) });
    assert!(matches!(refused, Err(ClientError::Rpc(error)) if error.code == 429));
    assert_eq!(*mine.0.lock().expect("not poisoned"), ["one: 2 = 2 + 0, Ada"]);
}

#[test]
fn an_observer_sees_the_members_of_a_refused_batch_and_one_response() {
    let seen = Arc::new(Mutex::new(vec![]));
    let (list, mine) = (seen.clone(), Mine::default());
    let server = Server::new(CalcService::new(mine.clone()).layer(BatchLog("one", 0, mine)));
    let server = server.observer(Arc::new(move |event: &Event<'_>| {
        list.lock().expect("not poisoned").push(match event.kind {
            EventKind::Received { kind, .. } => format!("{kind:?}"),
            EventKind::Responded { id, .. } => format!("responded {id}"),
            other => format!("{other:?}"),
        });
    }));
    now(server.handle(format!("[{0},{0}]", call("add", "[1,2]"))));
    assert_eq!(*seen.lock().expect("not poisoned"), ["Request", "Request", "responded null"]);
}

#[test]
fn a_tuple_serves_every_member_whichever_has_a_layer() {
    const UNKNOWN: &str = r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#;
    const FALLBACK: &str = r#"{"jsonrpc":"2.0","result":"fallback","id":1}"#;
    fn check(service: impl Service, expected: &str) {
        let server = Server::new(service);
        for (message, response) in [
            (call("add", "[1,2]"), r#"{"jsonrpc":"2.0","result":3,"id":1}"#),
            (call("add", r#"{"a":1,"b":2}"#), r#"{"jsonrpc":"2.0","result":3,"id":1}"#),
            (
                r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#.to_owned(),
                r#"{"jsonrpc":"2.0","result":19,"id":1}"#,
            ),
            (call("nope", "[]"), expected),
        ] {
            assert_eq!(block_on(server.handle(&message)).as_deref(), Some(response), "{message}");
        }
    }
    let calc = || CalcService::new(Mine::default());
    let demo = || DemoService::new(MyDemo);
    check((calc().layer(Through), demo()), UNKNOWN);
    check((calc(), demo().layer(Through)), UNKNOWN);
    check((calc().layer(Through), demo().layer(Through)), UNKNOWN);
    check(((calc().layer(Through), ()).layer(Through), demo()), UNKNOWN);
    // A fallback anywhere in the tuple receives only what no member serves.
    let fallback = || Router::builder().fallback(async |_: RawCall| Ok::<_, ErrorObject>("fallback")).build();
    let fallback = || fallback().expect("no duplicate");
    check((fallback(), calc(), demo()), FALLBACK);
    check((calc(), fallback().layer(Through), demo()), FALLBACK);
    check((demo(), calc(), fallback()).layer(Through), FALLBACK);
}

#[test]
fn a_layer_in_a_tuple_sees_the_calls_of_its_own_service_and_those_that_no_member_serves() {
    let mine = Mine::default();
    let server =
        Server::new((CalcService::new(mine.clone()).layer(Log("log", mine.clone())), DemoService::new(MyDemo)));
    for (message, expected) in [
        (call("add", "[1, 2]"), &[r#"log > calc.add Some("1") Some("calc.add") [1, 2]"#, "add", "log < None"][..]),
        (r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#.to_owned(), &[]),
        (call("nope", "[]"), &[r#"log > calc.nope Some("1") None []"#, "log < Some(-32601)"]),
    ] {
        now(server.handle(&message));
        assert_eq!(mine.take_lines(), expected, "{message}");
    }
}
