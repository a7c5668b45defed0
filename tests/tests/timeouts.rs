//! The option `timeout` on the server and on the client.

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
use tests::executor::Executor;
use tests::task::{Gate, Task, now, yield_now};

#[rpc]
trait Api {
    #[rpc(timeout = "1500ms", alias = "old")]
    async fn wait(&self) -> u8;
    #[rpc(notification, timeout = "3s")]
    async fn note(&self);
    async fn untimed(&self) -> u8;
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
    running: Arc<AtomicUsize>,
}

struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Mine {
    async fn wait_at_gate(&self) -> u8 {
        self.running.fetch_add(1, Ordering::SeqCst);
        let _running = Running(self.running.clone());
        self.gate.passed().await;
        7
    }
    fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }
}

impl Api for Mine {
    async fn wait(&self) -> u8 {
        self.wait_at_gate().await
    }
    async fn note(&self) {
        self.wait_at_gate().await;
    }
    async fn untimed(&self) -> u8 {
        self.wait_at_gate().await
    }
    async fn limit(&self, context: &Context<'_>) -> Option<u64> {
        context.timeout().map(|timeout| timeout.as_secs())
    }
    async fn no_limit(&self, context: &Context<'_>) -> Option<u64> {
        context.timeout().map(|timeout| timeout.as_secs())
    }
    async fn gives_way(&self) -> u8 {
        yield_now().await;
        1
    }
    async fn breaks_down(&self) -> u8 {
        yield_now().await;
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

/// A server, its timer, and the implementation.
type TimedServer<S> = (Server<S>, ManualTimer, Mine);

fn timed_server<S: Service>(service: impl FnOnce(Mine) -> S) -> TimedServer<S> {
    let (timer, mine) = (ManualTimer::new(), Mine::default());
    (Server::new(service(mine.clone())).timer(timer.clone()), timer, mine)
}

/// Checks that the calls of a service time out.
fn check_timeouts<S: Service>((server, timer, mine): &TimedServer<S>) {
    let advance = |millis| timer.advance(Duration::from_millis(millis));
    for method in ["wait", "old"] {
        let (text, batch) = (call(method, 1), format!("[{},{},{NOTE}]", call(method, 1), call("limit", 2)));
        let (mut single, mut batched) = (Task::new(server.handle(&text)), Task::new(server.handle(&batch)));
        assert!(single.run().is_pending() && batched.run().is_pending());
        assert_eq!((mine.running(), timer.pending_count()), (3, 3));
        advance(1499);
        assert!(single.run().is_pending() && batched.run().is_pending());
        advance(1);
        assert_eq!(single.run(), Poll::Ready(Some(timed_out(1))));
        // The notification in the batch has a longer timeout.
        assert!(batched.run().is_pending());
        assert_eq!(mine.running(), 1);
        advance(1500);
        assert_eq!(batched.run(), Poll::Ready(Some(format!("[{},{}]", timed_out(1), result("120", 2)))));
        assert_eq!((mine.running(), timer.pending_count()), (0, 0));
    }
    // A call that completes in time, has no timeout or is dropped leaves no timer pending.
    assert_eq!(now(server.handle(call("gives_way", 3))), Some(result("1", 3)));
    let panicked = now(server.handle(call("breaks_down", 3))).expect("a response");
    assert!(panicked.contains("-32603"), "{panicked}");
    assert_eq!(now(server.handle(call("no_limit", 4))), Some(result("null", 4)));
    let text = call("untimed", 5);
    let mut without_timeout = Task::new(server.handle(&text));
    assert!(without_timeout.run().is_pending());
    assert_eq!(timer.pending_count(), 0);
    drop(without_timeout);
    let text = call("wait", 6);
    let mut dropped = Task::new(server.handle(&text));
    assert!(dropped.run().is_pending());
    drop(dropped);
    assert_eq!((mine.running(), timer.pending_count()), (0, 0));
}

#[test]
fn calls_of_every_kind_of_service_time_out() {
    check_timeouts(&timed_server(ApiService::new));
    check_timeouts(&timed_server(|mine: Mine| (OtherService::new(mine.clone()), ApiService::new(mine))));
    check_timeouts(&timed_server(|mine| ApiService::new(mine).layer(Through)));
    check_timeouts(&timed_server(|mine: Mine| {
        (OtherService::new(mine.clone()), ApiService::new(mine).layer(Through)).layer(Through)
    }));
    check_timeouts(&timed_server(|mine: Mine| {
        let router = Router::builder().service(OtherService::new(mine.clone())).service(ApiService::new(mine));
        router.build().expect("no duplicate name")
    }));
    let (server, timer, mine) = timed_server(ApiService::new);
    check_timeouts(&(server.observer(Arc::new(|_: &Event<'_>| {})), timer, mine));
}

#[test]
fn a_result_that_is_ready_wins_over_a_timeout_in_the_same_poll() {
    let (server, timer, mine) = timed_server(ApiService::new);
    let text = call("wait", 1);
    let mut task = Task::new(server.handle(&text));
    assert!(task.run().is_pending());
    timer.advance(Duration::from_secs(9));
    mine.gate.open();
    assert_eq!(task.run(), Poll::Ready(Some(result("7", 1))));
}

#[test]
fn an_observer_sees_the_timeout_of_a_notification() {
    let (server, timer, mine) = timed_server(ApiService::new);
    let seen = Arc::new(Mutex::new(vec![]));
    let list = seen.clone();
    let server = server.observer(Arc::new(move |event: &Event<'_>| {
        list.lock().expect("not poisoned").push(match event.kind {
            EventKind::Received { .. } => "received".to_owned(),
            EventKind::Responded { id, .. } => format!("responded {id}"),
            EventKind::NoResponse { method, error } => {
                format!("no response {method:?} {}", error.map_or(0, |error| error.code))
            }
            other => format!("{other:?}"),
        });
    }));
    let no_response = r#"no response Some("note") -32000"#;
    for (text, expected) in [(NOTE.to_owned(), no_response), (call("wait", 1), "responded 1")] {
        for text in [text.clone(), format!("[{text}]")] {
            let mut task = Task::new(server.handle(&text));
            assert!(task.run().is_pending());
            timer.advance(Duration::from_secs(3));
            assert!(task.run().is_ready());
            assert_eq!(std::mem::take(&mut *seen.lock().expect("not poisoned")), ["received", expected]);
        }
    }
    assert_eq!(mine.running(), 0);
}

#[test]
fn without_a_timer_no_call_times_out() {
    let mine = Mine::default();
    let server = Server::new(ApiService::new(mine.clone()));
    let text = call("wait", 1);
    let mut task = Task::new(server.handle(&text));
    assert!(task.run().is_pending());
    mine.gate.open();
    assert_eq!(task.run(), Poll::Ready(Some(result("7", 1))));
    assert_eq!(now(server.handle(call("limit", 1))), Some(result("120", 1)));
}

/// A timer that panics, for short timeouts in `sleep` and for others in `poll`.
struct PanickingTimer;

impl Timer for PanickingTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        assert!(duration > Duration::from_secs(2), "no runtime here");
        Box::pin(std::future::poll_fn(|_| panic!("no clock here")))
    }
}

#[test]
fn a_timer_that_panics_fails_only_its_own_call() {
    let mine = Mine::default();
    let server = Server::new(ApiService::new(mine.clone())).timer(PanickingTimer);
    let response =
        now(server.handle(format!("[{},{},{NOTE}]", call("wait", 1), call("limit", 2)))).expect("a response");
    let internal = r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#;
    assert_eq!(response, format!("[{internal},{}]", result("120", 2)));
    assert_eq!(mine.running(), 0);
}

#[test]
fn calls_of_a_connection_time_out_and_may_be_cancelled_earlier() {
    let (server, timer, mine) = timed_server(ApiService::new);
    let (one, other) = memory::pair(1 << 12);
    let (_peer, serving) = Connection::builder(server).over(one);
    let (peer, calling) = Connection::builder(Server::new(())).over(other);
    let mut executor = Executor::new();
    let _running = (executor.spawn(serving.run()), executor.spawn(calling.run()));
    let api = ApiClient::new(peer);
    let timed_out = executor.spawn(api.wait());
    executor.run();
    let cancelled = api.wait().into_future();
    executor.run();
    assert_eq!(timer.pending_count(), 2);
    drop(cancelled);
    executor.run();
    assert_eq!(timer.pending_count(), 1);
    timer.advance(Duration::from_millis(1500));
    executor.run();
    let Some(Err(ClientError::Rpc(error))) = timed_out.take() else { panic!("no error object") };
    assert_eq!((error.code, &*error.message), (-32000, "Timed out"));
    assert_eq!((mine.running(), timer.pending_count()), (0, 0));
}

type IsTimedOut = Pin<Box<dyn Future<Output = bool>>>;

#[test]
fn the_client_applies_the_timeout_if_its_caller_has_a_timer() {
    let timer = ManualTimer::new();
    let client = |default: Option<Duration>| {
        ApiClient::new(Timeout::new(Mock::new().never_responds(), timer.clone()).default_timeout(default))
    };
    let (plain, endless) = (client(Some(Duration::from_secs(60))), client(None));
    let millis = Duration::from_millis;
    let mut calls: Vec<(Option<u64>, Task<IsTimedOut>)> = vec![];
    let mut add = |after: Option<u64>, is_timed_out: IsTimedOut| calls.push((after, Task::new(is_timed_out)));
    macro_rules! time_out {
        ($($after:expr => $call:expr;)+) => {$({
            let call = $call.into_future();
            add($after, Box::pin(async move { matches!(call.await, Err(ClientError::Timeout)) }));
        })+};
    }
    time_out! {
        // The timeout of the call, of the method, or of the caller.
        Some(1500) => plain.wait();
        Some(1500) => endless.wait();
        Some(9000) => plain.wait().timeout(millis(9000));
        None => plain.wait().timeout(None);
        Some(60_000) => plain.untimed();
        None => endless.untimed();
        // The timeout of a batch is the longest of its calls.
        Some(1500) => plain.batch((plain.wait(), plain.note()));
        Some(120_000) => plain.batch((plain.wait(), plain.limit()));
        Some(60_000) => plain.batch((plain.wait(), plain.untimed()));
        Some(120_000) => endless.batch((endless.wait(), endless.limit()));
        None => endless.batch((endless.wait(), endless.untimed()));
        Some(100) => plain.batch((plain.wait(), plain.untimed())).timeout(millis(100));
    }
    for now in (0..=130_000_u64).step_by(100) {
        calls.retain_mut(|(after, task)| match task.run() {
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
    assert_eq!(calls.len(), 3);
}

#[test]
fn the_client_ignores_the_timeout_of_the_method_if_its_caller_has_no_timer() {
    let mine = Mine::default();
    mine.gate.open();
    let api = ApiClient::new(Server::new(ApiService::new(mine)).caller());
    assert_eq!(now(api.wait()).expect("a result"), 7);
    now(api.note()).expect("sent");
    now(api.wait().notify()).expect("sent");
    let (outcome,) = now(api.batch((api.wait(),))).expect("a response");
    assert_eq!(outcome.expect("a result"), 7);
    assert!(matches!(now(api.wait().timeout(Duration::from_secs(1))), Err(ClientError::Unsupported(_))));
}

#[test]
fn the_timeout_is_not_sent() {
    let wire = Mock::new().on("wait", |_| Ok(1));
    now(ApiClient::new(wire.clone()).wait()).expect("a result");
    assert_eq!(wire.sent(), [r#"{"jsonrpc":"2.0","method":"wait","id":1}"#]);
}
