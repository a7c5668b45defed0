//! The word `timeout`, on both sides: what is given up, when, and what is told.

use rpc_core::client::Timeout;
use rpc_core::connection::Connection;
use rpc_core::mock::Mock;
use rpc_core::observe::{Event, EventKind};
use rpc_core::server::{Middleware, Next, Responded, Router, Service};
use rpc_core::time::{ManualTimer, Timer};
use rpc_core::transport::memory;
use rpc_core::{ClientError, Context, Server, rpc};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;
use tests::task::{Gate, Task, give_way, now};
use tests::world::World;

#[rpc]
trait Api {
    #[rpc(timeout = "1500ms", alias = "old")]
    async fn wait(&self) -> u8;
    #[rpc(notification, timeout = "3s")]
    async fn note(&self);
    async fn patient(&self) -> u8;
    #[rpc(timeout = "2m")]
    async fn limit(&self, #[rpc(context)] context: &Context<'_>) -> Option<u64>;
    async fn no_limit(&self, #[rpc(context)] context: &Context<'_>) -> Option<u64>;
    #[rpc(timeout = "1s")]
    async fn gives_way(&self) -> u8;
    #[rpc(timeout = "1s")]
    async fn breaks_down(&self) -> u8;
}

#[derive(Clone, Default)]
struct Mine {
    gate: Arc<Gate>,
    alive: Arc<AtomicUsize>,
}

struct Alive(Arc<AtomicUsize>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Mine {
    async fn passed(&self) -> u8 {
        self.alive.fetch_add(1, Ordering::SeqCst);
        let _alive = Alive(self.alive.clone());
        self.gate.passed().await;
        7
    }
    fn alive(&self) -> usize {
        self.alive.load(Ordering::SeqCst)
    }
}

impl Api for Mine {
    async fn wait(&self) -> u8 {
        self.passed().await
    }
    async fn note(&self) {
        self.passed().await;
    }
    async fn patient(&self) -> u8 {
        self.passed().await
    }
    async fn limit(&self, context: &Context<'_>) -> Option<u64> {
        context.timeout().map(|limit| limit.as_secs())
    }
    async fn no_limit(&self, context: &Context<'_>) -> Option<u64> {
        context.timeout().map(|limit| limit.as_secs())
    }
    async fn gives_way(&self) -> u8 {
        give_way().await;
        1
    }
    async fn breaks_down(&self) -> u8 {
        give_way().await;
        panic!("broken")
    }
}

#[rpc(namespace = "other")]
trait Other {
    async fn one(&self) -> u8;
}

impl Other for Mine {
    async fn one(&self) -> u8 {
        1
    }
}

struct Through;

impl Middleware for Through {
    async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
        next.run().await
    }
}

fn call(method: &str, id: u8) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":{id}}}"#)
}

fn result(result: &str, id: u8) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#)
}

fn timed_out(id: u8) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32000,"message":"Timed out"}},"id":{id}}}"#)
}

const NOTE: &str = r#"{"jsonrpc":"2.0","method":"note"}"#;

/// A server, its timer, and what it serves.
type Made<S> = (Server<S>, ManualTimer, Mine);

fn made<S: Service>(service: impl FnOnce(Mine) -> S) -> Made<S> {
    let (timer, mine) = (ManualTimer::new(), Mine::default());
    (Server::new(service(mine.clone())).timer(timer.clone()), timer, mine)
}

/// What every kind of service keeps to.
fn supports_timeouts<S: Service>((server, timer, mine): &Made<S>) {
    let advance = |millis| timer.advance(Duration::from_millis(millis));
    for method in ["wait", "old"] {
        let (text, batch) = (call(method, 1), format!("[{},{},{NOTE}]", call(method, 1), call("limit", 2)));
        let (mut single, mut batched) = (Task::new(server.handle(&text)), Task::new(server.handle(&batch)));
        assert!(single.run().is_pending() && batched.run().is_pending());
        assert_eq!((mine.alive(), timer.pending_count()), (3, 3));
        advance(1499);
        assert!(single.run().is_pending() && batched.run().is_pending());
        advance(1);
        assert_eq!(single.run(), Poll::Ready(Some(timed_out(1))));
        // The notification in the batch has more time.
        assert!(batched.run().is_pending());
        assert_eq!(mine.alive(), 1);
        advance(1500);
        assert_eq!(batched.run(), Poll::Ready(Some(format!("[{},{}]", timed_out(1), result("120", 2)))));
        assert_eq!((mine.alive(), timer.pending_count()), (0, 0));
    }
    // What ends in time, or has all the time, or is given up itself, leaves no wait behind.
    assert_eq!(now(server.handle(call("gives_way", 3))), Some(result("1", 3)));
    let broken = now(server.handle(call("breaks_down", 3))).expect("an answer");
    assert!(broken.contains("-32603"), "{broken}");
    assert_eq!(now(server.handle(call("no_limit", 4))), Some(result("null", 4)));
    let text = call("patient", 5);
    let mut patient = Task::new(server.handle(&text));
    assert!(patient.run().is_pending());
    assert_eq!(timer.pending_count(), 0);
    drop(patient);
    let text = call("wait", 6);
    let mut dropped = Task::new(server.handle(&text));
    assert!(dropped.run().is_pending());
    drop(dropped);
    assert_eq!((mine.alive(), timer.pending_count()), (0, 0));
}

#[test]
fn every_kind_of_service_gives_calls_up_in_time() {
    supports_timeouts(&made(ApiService::new));
    supports_timeouts(&made(|mine: Mine| (OtherService::new(mine.clone()), ApiService::new(mine))));
    supports_timeouts(&made(|mine| ApiService::new(mine).layer(Through)));
    supports_timeouts(&made(|mine: Mine| {
        (OtherService::new(mine.clone()), ApiService::new(mine).layer(Through)).layer(Through)
    }));
    supports_timeouts(&made(|mine: Mine| {
        let router = Router::builder().service(OtherService::new(mine.clone())).service(ApiService::new(mine));
        router.build().expect("no name twice")
    }));
    let (server, timer, mine) = made(ApiService::new);
    supports_timeouts(&(server.observer(Arc::new(|_: &Event<'_>| {})), timer, mine));
}

#[test]
fn a_result_that_is_there_counts_even_if_nobody_looked_in_time() {
    let (server, timer, mine) = made(ApiService::new);
    let text = call("wait", 1);
    let mut waits = Task::new(server.handle(&text));
    assert!(waits.run().is_pending());
    timer.advance(Duration::from_secs(9));
    mine.gate.open();
    assert_eq!(waits.run(), Poll::Ready(Some(result("7", 1))));
}

#[test]
fn an_observer_sees_the_silence_of_a_notification() {
    let (server, timer, mine) = made(ApiService::new);
    let seen = Arc::new(Mutex::new(vec![]));
    let list = seen.clone();
    let server = server.observer(Arc::new(move |event: &Event<'_>| {
        list.lock().expect("not poisoned").push(match event.kind {
            EventKind::Received { .. } => "received".to_owned(),
            EventKind::Responded { id, .. } => format!("answered {id}"),
            EventKind::NoResponse { method, error } => {
                format!("silent {method:?} {}", error.map_or(0, |error| error.code))
            }
            other => format!("{other:?}"),
        });
    }));
    for (text, wanted) in [(NOTE.to_owned(), r#"silent Some("note") -32000"#), (call("wait", 1), "answered 1")] {
        for text in [text.clone(), format!("[{text}]")] {
            let mut task = Task::new(server.handle(&text));
            assert!(task.run().is_pending());
            timer.advance(Duration::from_secs(3));
            assert!(task.run().is_ready());
            assert_eq!(std::mem::take(&mut *seen.lock().expect("not poisoned")), ["received", wanted]);
        }
    }
    assert_eq!(mine.alive(), 0);
}

#[test]
fn without_a_timer_nothing_is_given_up() {
    let mine = Mine::default();
    let server = Server::new(ApiService::new(mine.clone()));
    let text = call("wait", 1);
    let mut waits = Task::new(server.handle(&text));
    assert!(waits.run().is_pending());
    mine.gate.open();
    assert_eq!(waits.run(), Poll::Ready(Some(result("7", 1))));
    assert_eq!(now(server.handle(call("limit", 1))), Some(result("120", 1)));
}

/// A timer that cannot be used.
struct Broken;

impl Timer for Broken {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        assert!(duration > Duration::from_secs(2), "no runtime here");
        Box::pin(std::future::poll_fn(|_| panic!("no clock here")))
    }
}

#[test]
fn a_timer_that_panics_costs_its_call_only() {
    let mine = Mine::default();
    let server = Server::new(ApiService::new(mine.clone())).timer(Broken);
    let response = now(server.handle(format!("[{},{},{NOTE}]", call("wait", 1), call("limit", 2)))).expect("an answer");
    let internal = r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#;
    assert_eq!(response, format!("[{internal},{}]", result("120", 2)));
    assert_eq!(mine.alive(), 0);
}

#[test]
fn calls_over_a_connection_are_given_up_in_time_and_may_be_cancelled_before() {
    let (server, timer, mine) = made(ApiService::new);
    let (one, other) = memory::pair(1 << 12);
    let (_peer, serving) = Connection::builder(server).over(one);
    let (peer, calling) = Connection::builder(Server::new(())).over(other);
    let mut world = World::new();
    let _ends = (world.spawn(serving.run()), world.spawn(calling.run()));
    let api = ApiClient::new(peer);
    let waits = world.spawn(api.wait());
    world.run();
    let cancelled = api.wait().into_future();
    world.run();
    assert_eq!(timer.pending_count(), 2);
    drop(cancelled);
    world.run();
    assert_eq!(timer.pending_count(), 1);
    timer.advance(Duration::from_millis(1500));
    world.run();
    let Some(Err(ClientError::Rpc(error))) = waits.take() else { panic!("it is given up") };
    assert_eq!((error.code, &*error.message), (-32000, "Timed out"));
    assert_eq!((mine.alive(), timer.pending_count()), (0, 0));
}

type IsTimedOut = Pin<Box<dyn Future<Output = bool>>>;

#[test]
fn the_client_keeps_it_where_its_caller_keeps_time() {
    let timer = ManualTimer::new();
    let over = |usual: Option<Duration>| {
        ApiClient::new(Timeout::new(Mock::new().never_responds(), timer.clone()).default_timeout(usual))
    };
    let (plain, endless) = (over(Some(Duration::from_secs(60))), over(None));
    let millis = Duration::from_millis;
    let mut ends: Vec<(Option<u64>, Task<IsTimedOut>)> = vec![];
    let mut add = |after: Option<u64>, end: IsTimedOut| ends.push((after, Task::new(end)));
    macro_rules! ends {
        ($($after:expr => $call:expr;)+) => {$({
            let call = $call.into_future();
            add($after, Box::pin(async move { matches!(call.await, Err(ClientError::Timeout)) }));
        })+};
    }
    ends! {
        // The call's own, the method's, the caller's.
        Some(1500) => plain.wait();
        Some(1500) => endless.wait();
        Some(9000) => plain.wait().timeout(millis(9000));
        None => plain.wait().timeout(None);
        Some(60_000) => plain.patient();
        None => endless.patient();
        // A batch waits for the slowest of its calls.
        Some(1500) => plain.batch((plain.wait(), plain.note()));
        Some(120_000) => plain.batch((plain.wait(), plain.limit()));
        Some(60_000) => plain.batch((plain.wait(), plain.patient()));
        Some(120_000) => endless.batch((endless.wait(), endless.limit()));
        None => endless.batch((endless.wait(), endless.patient()));
        Some(100) => plain.batch((plain.wait(), plain.patient())).timeout(millis(100));
    }
    for now in (0..=130_000_u64).step_by(100) {
        ends.retain_mut(|(after, task)| match task.run() {
            Poll::Pending => {
                assert!(after.is_none_or(|after| now < after), "{after:?} at {now}");
                true
            }
            Poll::Ready(timed_out) => {
                assert_eq!((timed_out, *after), (true, Some(now)));
                false
            }
        });
        timer.advance(millis(100));
    }
    assert_eq!(ends.len(), 3);
}

#[test]
fn the_client_passes_it_over_where_its_caller_keeps_no_time() {
    let mine = Mine::default();
    mine.gate.open();
    let api = ApiClient::new(Server::new(ApiService::new(mine)).caller());
    assert_eq!(now(api.wait()).expect("a result"), 7);
    now(api.note()).expect("sent");
    now(api.wait().notify()).expect("sent");
    let (waited,) = now(api.batch((api.wait(),))).expect("replies");
    assert_eq!(waited.expect("a result"), 7);
    assert!(matches!(now(api.wait().timeout(Duration::from_secs(1))), Err(ClientError::Unsupported(_))));
}

#[test]
fn it_is_not_on_the_wire() {
    let wire = Mock::new().on("wait", |_| Ok(1));
    now(ApiClient::new(wire.clone()).wait()).expect("a result");
    assert_eq!(wire.sent(), [r#"{"jsonrpc":"2.0","method":"wait","id":1}"#]);
}
