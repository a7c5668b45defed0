//! What stands around calls: each of its powers, and that it changes nothing by itself.

use examples::demo::{DemoService, MyDemo};
use rpc_core::connection::Connection;
use rpc_core::observe::{Event, EventKind};
use rpc_core::server::{BatchInfo, ErrorCode, Middleware, Next, RawCall, Responded, Router, Service};
use rpc_core::transport::memory;
use rpc_core::{ClientError, Context, ErrorObject, Server, block_on, rpc};
use std::sync::{Arc, Mutex};
use tests::task::{give_way, now};
use tests::vectors;
use tests::world::World;

/// Goes on with everything.
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
    fn note_down(&self, what: impl Into<String>) {
        self.0.lock().expect("not poisoned").push(what.into());
    }
}

impl Calc for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        self.note_down("add");
        a + b
    }
    async fn fail(&self) -> Result<(), ErrorObject> {
        give_way().await;
        Err(ErrorObject::new(7, "no"))
    }
    async fn user(&self, context: &Context<'_>) -> Option<String> {
        context.extension::<User>().map(|user| user.0.clone())
    }
    async fn note(&self, n: u8) {
        self.note_down(format!("note {n}"));
    }
}

struct User(String);

/// Writes down what it sees, under a name.
struct Log(&'static str, Mine);

impl Middleware for Log {
    async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Responded {
        let (name, id) = (next.context().method().to_owned(), next.context().id().map(|id| id.as_token().to_owned()));
        let served = next.method().map(|method| method.name().to_owned());
        let params = next.params().map_or("none", |params| params.get()).to_owned();
        self.1.note_down(format!("{} > {name} {id:?} {served:?} {params}", self.0));
        let error_code: ErrorCode = next.error_code();
        let responded = next.run().await;
        self.1.note_down(format!("{} < {:?}", self.0, error_code.get()));
        responded
    }
}

/// Refuses, answers, breaks down or lets in, as the params say.
struct Gate;

impl Middleware for Gate {
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
fn one_that_goes_on_with_everything_changes_no_answer() {
    let plain = Server::new(DemoService::new(MyDemo));
    let layered = Server::new(DemoService::new(MyDemo).layer(Through).layer(Through));
    for vector in vectors::server() {
        let (wanted, response) = (block_on(plain.handle(&vector.request)), block_on(layered.handle(&vector.request)));
        assert_eq!(response, wanted, "{}", vector.name);
    }
}

#[test]
fn it_sees_calls_notifications_members_of_batches_and_what_nobody_serves() {
    let mine = Mine::default();
    let server = Server::new(CalcService::new(mine.clone()).layer(Log("log", mine.clone())));
    let seen = |message: &str, wanted: &[&str]| {
        now(server.handle(message));
        assert_eq!(std::mem::take(&mut *mine.0.lock().expect("not poisoned")), wanted, "{message}");
    };
    let one = r#"log > calc.add Some("1") Some("calc.add") [1, 2]"#;
    seen(&call("add", "[1, 2]"), &[one, "add", "log < None"]);
    seen(
        r#"{"jsonrpc":"2.0","method":"calc.note","params":{"n":3}}"#,
        &[r#"log > calc.note None Some("calc.note") {"n":3}"#, "note 3", "log < None"],
    );
    seen(
        &format!("[{},{}]", call("add", "[1, 2]"), call("fail", "null")),
        &[one, "add", "log < None", r#"log > calc.fail Some("1") Some("calc.fail") none"#, "log < Some(7)"],
    );
    seen(&call("nope", "[]"), &[r#"log > calc.nope Some("1") None []"#, "log < Some(-32601)"]);
    seen(&call("add", r#"["x"]"#), &[r#"log > calc.add Some("1") Some("calc.add") ["x"]"#, "log < Some(-32602)"]);
    // What is no call is none.
    seen("[1]", &[]);
    seen("{", &[]);
}

#[test]
fn it_refuses_or_answers_before_anything_is_decoded_or_run() {
    let mine = Mine::default();
    let server = Server::new(CalcService::new(mine.clone()).layer(Gate));
    for (params, response) in [
        (r#"["refuse"]"#, Some(r#"{"jsonrpc":"2.0","error":{"code":401,"message":"who are you?"},"id":1}"#)),
        (r#"["respond"]"#, Some(r#"{"jsonrpc":"2.0","result":"from the door","id":1}"#)),
        (r#"["panic"]"#, Some(r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#)),
        ("[1,2]", Some(r#"{"jsonrpc":"2.0","result":3,"id":1}"#)),
    ] {
        assert_eq!(now(server.handle(call("add", params))).as_deref(), response, "{params}");
        // A notification is answered with nothing, whatever the middleware says.
        let notification = call("note", params).replace(r#","id":1"#, "");
        assert_eq!(now(server.handle(notification)), None, "{params}");
    }
    assert_eq!(*mine.0.lock().expect("not poisoned"), ["add"]);
}

/// Names the caller of call 1.
struct Named;

impl Middleware for Named {
    async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Responded {
        if next.context().id().is_some_and(|id| id.as_u64() == Some(1)) {
            next.insert(User("Ada".to_owned()));
            next.insert(7_u8);
        }
        next.run().await
    }
}

#[test]
fn what_it_gives_reaches_the_method_of_this_call_alone() {
    let server = Server::new(CalcService::new(Mine::default()).layer(Named));
    let batch = r#"[{"jsonrpc":"2.0","method":"calc.user","id":1},{"jsonrpc":"2.0","method":"calc.user","id":2}]"#;
    let response = r#"[{"jsonrpc":"2.0","result":"Ada","id":1},{"jsonrpc":"2.0","result":null,"id":2}]"#;
    assert_eq!(now(server.handle(batch)).as_deref(), Some(response));
}

#[test]
fn several_stand_around_each_other() {
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
fn it_stands_around_the_calls_of_a_connection_too() {
    let server = Server::new(CalcService::new(Mine::default()).layer(Gate));
    let (one, other) = memory::pair(1 << 10);
    let (_, serving) = Connection::builder(server).extension(User("everybody".to_owned())).over(one);
    let (peer, calling) = Connection::builder(Server::new(())).over(other);
    let mut world = World::new();
    let _ends = (world.spawn(serving.run()), world.spawn(calling.run()));
    let calc = CalcClient::new(peer);
    assert_eq!(world.end(calc.add(1, 2)).expect("a sum"), 3);
    assert_eq!(world.end(calc.user()).expect("a name").as_deref(), Some("everybody"));
}

/// Writes down what it finds in the envelope, and what the batch as a whole is; refuses batches of more calls.
struct Whole(&'static str, usize, Mine);

impl Middleware for Whole {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
        let member = |name| next.member(name).map_or("-", |value| value.get());
        self.2.note_down(format!("{}: {} {} {}", self.0, member("trace"), member("Trace"), member("id")));
        next.run().await
    }
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        let (members, calls, notifications) = (batch.members(), batch.calls(), batch.notifications());
        let user = batch.extension::<User>().map_or("nobody", |user| &user.0);
        self.2.note_down(format!("{}: {members} = {calls} + {notifications}, {user}", self.0));
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
        give_way().await;
        context.member("trace").map(|value| value.get().to_owned())
    }
}

/// What a server answers and writes down, which is the same when somebody watches.
#[track_caller]
fn told<S: Service>(make: impl Fn(Mine) -> S, message: &str) -> (String, Vec<String>) {
    let ask = |is_observed: bool| {
        let mine = Mine::default();
        let mut server = Server::new(make(mine.clone()));
        if is_observed {
            server = server.observer(Arc::new(|_: &Event<'_>| {}));
        }
        let response = now(server.handle(message)).unwrap_or_default();
        (response, std::mem::take(&mut *mine.0.lock().expect("not poisoned")))
    };
    let (plain, observed) = (ask(false), ask(true));
    assert_eq!(plain, observed, "{message}");
    plain
}

fn nested(mine: Mine) -> impl Service {
    let inner = TracedService::new(mine.clone()).layer(Whole("inner", 2, mine.clone()));
    inner.layer(Whole("outer", 3, mine))
}

#[test]
fn what_else_the_envelope_has_is_seen_by_the_middleware_and_by_the_method() {
    let trace = |id: u8, extra: &str| format!(r#"{{"jsonrpc":"2.0","method":"traced.trace","id":{id}{extra}}}"#);
    let result = |id: u8, result: &str| format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#);
    for (extra, seen, responded) in [
        ("", "- - -", "null"),
        (r#","trace":{"a": 1}"#, r#"{"a": 1} - -"#, r#""{\"a\": 1}""#),
        (r#","trac\u0065":7,"Trace":8"#, "7 8 -", r#""7""#),
        // The last one counts, as for most readers; a name that cannot be is none.
        (r#","trace":1,"\ud800":2,"trace":null"#, "null - -", r#""null""#),
    ] {
        let (response, lines) = told(nested, &trace(1, extra));
        assert_eq!(response, result(1, responded), "{extra}");
        assert_eq!(lines, [format!("outer: {seen}"), format!("inner: {seen}")], "{extra}");
        // In a batch, first and behind others: of this member alone.
        let batch = format!("[{},{},{}]", trace(1, extra), trace(2, ""), trace(3, extra));
        let (response, lines) = told(|mine| TracedService::new(mine.clone()).layer(Whole("one", 9, mine)), &batch);
        assert_eq!(response, format!("[{},{},{}]", result(1, responded), result(2, "null"), result(3, responded)));
        let (seen, none) = (format!("one: {seen}"), "one: - - -".to_owned());
        assert_eq!(lines[1..], [seen.clone(), none, seen], "{extra}");
    }
    // Without any middleware, and behind a router.
    let message = trace(4, r#","trace":[]"#);
    assert_eq!(told(TracedService::new, &message).0, result(4, r#""[]""#));
    let router = |mine| Router::builder().service(TracedService::new(mine)).build().expect("no name twice");
    assert_eq!(told(router, &message).0, result(4, r#""[]""#));
    // What a middleware gives stands beside it.
    let (response, _) = told(
        |mine: Mine| (CalcService::new(mine.clone()), TracedService::new(mine)).layer(Named),
        &format!("[{},{}]", call("user", "[]").replace('}', r#","trace":1}"#), trace(1, r#","trace":1"#)),
    );
    assert_eq!(response, format!("[{},{}]", result(1, r#""Ada""#), result(1, r#""1""#)));
}

#[test]
fn a_batch_is_seen_as_a_whole_before_anything_of_it_runs() {
    let (add, note) = (call("add", "[1,2]"), r#"{"jsonrpc":"2.0","method":"calc.note","params":[3]}"#);
    let one = |mine: Mine| CalcService::new(mine.clone()).layer(Whole("one", 2, mine));
    let stray = r#"{"jsonrpc":"2.0","result":1,"id":9}"#;
    let (response, lines) = told(one, &format!("[{add},{note},7,{stray},{}]", call("nope", "[]")));
    assert!(response.starts_with(r#"[{"jsonrpc":"2.0","result":3,"id":1},{"#), "{response}");
    assert_eq!(lines, ["one: 5 = 2 + 1, nobody", "one: - - -", "add", "one: - - -", "note 3", "one: - - -"]);
    // Over its limit it answers once, under no id, and nothing runs.
    let refused =
        |who: &str| format!(r#"{{"jsonrpc":"2.0","error":{{"code":429,"message":"too many for {who}"}},"id":null}}"#);
    let (response, lines) = told(one, &format!("[{add},{note},{add},{add}]"));
    assert_eq!((response, &lines[..]), (refused("one"), &["one: 4 = 3 + 1, nobody".to_owned()][..]));
    let (response, lines) = told(one, &format!("[{note}]"));
    assert_eq!((&*response, &*lines[0]), ("", "one: 1 = 0 + 1, nobody"));
    // A panic is a refusal that tells nothing.
    let (response, _) = told(one, &format!("[{add},{add},{add},{add},{add}]"));
    assert_eq!(response, r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":null}"#);
    // A single message is no batch, and what is no batch is not shown.
    assert_eq!(told(one, &add).1, ["one: - - -", "add"]);
    for text in ["[]", "[1", "[{}]]"] {
        assert!(told(one, text).1.is_empty(), "{text}");
    }
    // The outermost is asked first; each may refuse.
    let add = r#"{"jsonrpc":"2.0","method":"traced.trace","id":1}"#;
    let (response, lines) = told(nested, &format!("[{add},{add},{add}]"));
    assert_eq!((response, lines.len()), (refused("inner"), 2));
    let (response, lines) = told(nested, &format!("[{add},{add},{add},{add}]"));
    assert_eq!((response, &lines[..]), (refused("outer"), &["outer: 4 = 4 + 0, nobody".to_owned()][..]));
}

#[test]
fn a_batch_is_seen_by_what_stands_deeper_in_tuples_and_routers() {
    let batch = format!("[{0},{0},{0}]", call("add", "[1,2]"));
    let refused = r#"{"jsonrpc":"2.0","error":{"code":429,"message":"too many for deep"},"id":null}"#;
    let deep = |mine: Mine| TracedService::new(mine.clone()).layer(Whole("deep", 2, mine));
    let (response, lines) = told(|mine: Mine| (CalcService::new(mine.clone()), deep(mine)), &batch);
    assert_eq!((&*response, lines.len()), (refused, 1));
    let router = |mine: Mine| Router::builder().service(CalcService::new(mine.clone())).service(deep(mine));
    let (response, lines) = told(|mine| router(mine).build().expect("no name twice"), &batch);
    assert_eq!((&*response, lines.len()), (refused, 1));
    let through = |mine| router(mine).build().expect("no name twice").layer(Through);
    assert_eq!(told(through, &batch).0, refused);
}

#[test]
fn a_batch_over_a_connection_is_seen_with_the_values_of_the_connection() {
    let mine = Mine::default();
    let server = Server::new(CalcService::new(mine.clone()).layer(Whole("one", 1, mine.clone())));
    let (one, other) = memory::pair(1 << 10);
    let (_peer, serving) = Connection::builder(server).extension(User("Ada".to_owned())).over(one);
    let (peer, calling) = Connection::builder(Server::new(())).over(other);
    let mut world = World::new();
    let _ends = (world.spawn(serving.run()), world.spawn(calling.run()));
    let calc = CalcClient::new(peer);
    let refused = world.end(async move { calc.batch((calc.add(1, 2), calc.add(3, 4))).await.map(|_| ()) });
    assert!(matches!(refused, Err(ClientError::Rpc(error)) if error.code == 429));
    assert_eq!(*mine.0.lock().expect("not poisoned"), ["one: 2 = 2 + 0, Ada"]);
}

#[test]
fn an_observer_sees_the_members_of_a_refused_batch_and_one_answer() {
    let seen = Arc::new(Mutex::new(vec![]));
    let (list, mine) = (seen.clone(), Mine::default());
    let server = Server::new(CalcService::new(mine.clone()).layer(Whole("one", 0, mine)));
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
    fn responds(service: impl Service, wanted: &str) {
        let server = Server::new(service);
        for (message, response) in [
            (call("add", "[1,2]"), r#"{"jsonrpc":"2.0","result":3,"id":1}"#),
            (call("add", r#"{"a":1,"b":2}"#), r#"{"jsonrpc":"2.0","result":3,"id":1}"#),
            (
                r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#.to_owned(),
                r#"{"jsonrpc":"2.0","result":19,"id":1}"#,
            ),
            (call("nope", "[]"), wanted),
        ] {
            assert_eq!(block_on(server.handle(&message)).as_deref(), Some(response), "{message}");
        }
    }
    const UNKNOWN: &str = r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#;
    let calc = || CalcService::new(Mine::default());
    let demo = || DemoService::new(MyDemo);
    responds((calc().layer(Through), demo()), UNKNOWN);
    responds((calc(), demo().layer(Through)), UNKNOWN);
    responds((calc().layer(Through), demo().layer(Through)), UNKNOWN);
    responds(((calc().layer(Through), ()).layer(Through), demo()), UNKNOWN);
    // A fallback anywhere in the tuple receives only what no member serves.
    const FALLBACK: &str = r#"{"jsonrpc":"2.0","result":"fallback","id":1}"#;
    let fallback = || Router::builder().fallback(async |_: RawCall| Ok::<_, ErrorObject>("fallback")).build();
    let fallback = || fallback().expect("no duplicate");
    responds((fallback(), calc(), demo()), FALLBACK);
    responds((calc(), fallback().layer(Through), demo()), FALLBACK);
    responds((demo(), calc(), fallback()).layer(Through), FALLBACK);
}

#[test]
fn a_layer_in_a_tuple_sees_the_calls_of_its_own_service_and_those_that_no_member_serves() {
    let mine = Mine::default();
    let server =
        Server::new((CalcService::new(mine.clone()).layer(Log("log", mine.clone())), DemoService::new(MyDemo)));
    for (message, wanted) in [
        (call("add", "[1, 2]"), &[r#"log > calc.add Some("1") Some("calc.add") [1, 2]"#, "add", "log < None"][..]),
        (r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#.to_owned(), &[]),
        (call("nope", "[]"), &[r#"log > calc.nope Some("1") None []"#, "log < Some(-32601)"]),
    ] {
        now(server.handle(&message));
        assert_eq!(std::mem::take(&mut *mine.0.lock().expect("not poisoned")), wanted, "{message}");
    }
}
