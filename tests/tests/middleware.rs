//! What stands around calls: each of its powers, and that it changes nothing by itself.

use examples::demo::{DemoService, MyDemo};
use rpc_core::connection::Connection;
use rpc_core::server::{Answered, Failure, Layered, Middleware, Next};
use rpc_core::transport::memory;
use rpc_core::{Context, ErrorObject, Server, Service, block_on, rpc};
use std::sync::{Arc, Mutex};
use tests::task::{give_way, now};
use tests::vectors;
use tests::world::World;

/// Goes on with everything.
struct Through;

impl Middleware for Through {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Answered {
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
    async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Answered {
        let (name, id) = (next.context().method().to_owned(), next.context().id().map(|id| id.as_token().to_owned()));
        let served = next.method().map(|method| method.name().to_owned());
        let params = next.params().map_or("none", |params| params.get()).to_owned();
        self.1.note_down(format!("{} > {name} {id:?} {served:?} {params}", self.0));
        let failure: Failure = next.failure();
        let answered = next.run().await;
        self.1.note_down(format!("{} < {:?}", self.0, failure.code()));
        answered
    }
}

/// Refuses, answers, breaks down or lets in, as the params say.
struct Door;

impl Middleware for Door {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Answered {
        match next.params().map_or("", |params| params.get()) {
            r#"["refuse"]"# => next.refuse(&ErrorObject::new(401, "who are you?")),
            r#"["answer"]"# => next.answer(&"from the door"),
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
    let layered = Server::new(Layered::new(Through, Layered::new(Through, DemoService::new(MyDemo))));
    for vector in vectors::server() {
        let (wanted, answer) = (block_on(plain.handle(&vector.request)), block_on(layered.handle(&vector.request)));
        assert_eq!(answer, wanted, "{}", vector.name);
    }
}

#[test]
fn it_sees_calls_notifications_members_of_batches_and_what_nobody_serves() {
    let mine = Mine::default();
    let server = Server::new(Layered::new(Log("log", mine.clone()), CalcService::new(mine.clone())));
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
    let server = Server::new(Layered::new(Door, CalcService::new(mine.clone())));
    for (params, answer) in [
        (r#"["refuse"]"#, Some(r#"{"jsonrpc":"2.0","error":{"code":401,"message":"who are you?"},"id":1}"#)),
        (r#"["answer"]"#, Some(r#"{"jsonrpc":"2.0","result":"from the door","id":1}"#)),
        (r#"["panic"]"#, Some(r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#)),
        ("[1,2]", Some(r#"{"jsonrpc":"2.0","result":3,"id":1}"#)),
    ] {
        assert_eq!(now(server.handle(call("add", params))).as_deref(), answer, "{params}");
        // A notification is answered with nothing, whatever the middleware says.
        let notification = call("note", params).replace(r#","id":1"#, "");
        assert_eq!(now(server.handle(notification)), None, "{params}");
    }
    assert_eq!(*mine.0.lock().expect("not poisoned"), ["add"]);
}

/// Names the caller of call 1.
struct Named;

impl Middleware for Named {
    async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Answered {
        if next.context().id().is_some_and(|id| id.as_u64() == Some(1)) {
            next.insert(User("Ada".to_owned()));
            next.insert(7_u8);
        }
        next.run().await
    }
}

#[test]
fn what_it_gives_reaches_the_method_of_this_call_alone() {
    let server = Server::new(Layered::new(Named, CalcService::new(Mine::default())));
    let batch = r#"[{"jsonrpc":"2.0","method":"calc.user","id":1},{"jsonrpc":"2.0","method":"calc.user","id":2}]"#;
    let answer = r#"[{"jsonrpc":"2.0","result":"Ada","id":1},{"jsonrpc":"2.0","result":null,"id":2}]"#;
    assert_eq!(now(server.handle(batch)).as_deref(), Some(answer));
}

#[test]
fn several_stand_around_each_other() {
    let mine = Mine::default();
    let service = Layered::new(
        Log("outer", mine.clone()),
        Layered::new(Log("inner", mine.clone()), CalcService::new(mine.clone())),
    );
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
    let server = Server::new(Layered::new(Door, CalcService::new(Mine::default())));
    let (one, other) = memory::pair(1 << 10);
    let (_, serving) = Connection::builder(server).extension(User("everybody".to_owned())).over(one);
    let (peer, calling) = Connection::builder(Server::new(())).over(other);
    let mut world = World::new();
    let _ends = (world.spawn(serving.run()), world.spawn(calling.run()));
    let calc = CalcClient::new(peer);
    assert_eq!(world.end(calc.add(1, 2)).expect("a sum"), 3);
    assert_eq!(world.end(calc.user()).expect("a name").as_deref(), Some("everybody"));
}
