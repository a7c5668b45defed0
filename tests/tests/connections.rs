//! Live connections over the in-memory transport, polled by hand.

use rpc_core::client::{Call, Caller, CloseReason, Outgoing};
use rpc_core::connection::{Builder, Connection, Peer};
use rpc_core::profile::Profile;
use rpc_core::server::Service;
use rpc_core::time::{ManualTimer, Timer};
use rpc_core::transport::memory::{self, MemorySink, MemorySource};
use rpc_core::transport::{Messages, Sink, Source};
use rpc_core::{ClientError, Context, ErrorObject, Server, rpc};
use serde_json::Value;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Wake, Waker};
use std::time::Duration;
use tests::executor::{Executor, Spawned};
use tests::task::{Gate, yield_now};

#[rpc]
trait Api {
    async fn add(&self, a: i64, b: i64) -> i64;
    /// Returns when the gate is open.
    async fn wait(&self) -> u8;
    /// Calls `nested` of the peer with `depth - 1`, down to 0.
    async fn nested(&self, depth: u32, #[rpc(context)] context: &Context<'_>) -> Result<u32, ErrorObject>;
    async fn until_cancelled(&self, #[rpc(context)] context: &Context<'_>) -> u8;
    async fn answers_cancel(&self, #[rpc(context)] context: &Context<'_>) -> u8;
    /// Awaits the cancel with a waker of its own.
    async fn answers_cancel_inside(&self, #[rpc(context)] context: &Context<'_>) -> u8;
    /// Awaits the cancel and the gate, whichever comes first.
    async fn cancelled_or_opened(&self, #[rpc(context)] context: &Context<'_>) -> u8;
    async fn break_down(&self) -> u8;
    #[rpc(notification, exclusive)]
    async fn append(&self, n: u32);
    #[rpc(exclusive)]
    async fn ask_alone(&self, #[rpc(context)] context: &Context<'_>) -> Result<i64, ErrorObject>;
    async fn read(&self) -> Vec<u32>;
    async fn stop(&self, #[rpc(context)] context: &Context<'_>) -> bool;
    async fn fact(&self, #[rpc(context)] context: &Context<'_>) -> Option<u16>;
    /// Stores its handle of the peer, which outlives the handler.
    async fn keep(&self, #[rpc(context)] context: &Context<'_>) -> bool;
}

#[derive(Clone, Default)]
struct Mine {
    gate: Arc<Gate>,
    list: Arc<Mutex<Vec<u32>>>,
    /// The number of running handlers.
    running: Arc<AtomicUsize>,
    max_running: Arc<AtomicUsize>,
    saw_cancel: Arc<AtomicUsize>,
    kept_peer: Arc<Mutex<Option<Peer>>>,
}

struct Running(Arc<AtomicUsize>);

impl Mine {
    fn enter(&self) -> Running {
        let now = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.max_running.fetch_max(now, Ordering::SeqCst);
        Running(self.running.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Api for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn wait(&self) -> u8 {
        let _running = self.enter();
        self.gate.passed().await;
        7
    }
    async fn nested(&self, depth: u32, context: &Context<'_>) -> Result<u32, ErrorObject> {
        let _running = self.enter();
        match (depth, context.peer()) {
            (0, _) | (_, None) => Ok(0),
            (_, Some(peer)) => Ok(ApiClient::new(peer).nested(depth - 1).await? + 1),
        }
    }
    async fn until_cancelled(&self, context: &Context<'_>) -> u8 {
        let _running = self.enter();
        context.cancelled().await;
        self.saw_cancel.fetch_add(1, Ordering::SeqCst);
        yield_now().await;
        1
    }
    async fn answers_cancel(&self, context: &Context<'_>) -> u8 {
        context.cancelled().await;
        9
    }
    async fn answers_cancel_inside(&self, context: &Context<'_>) -> u8 {
        with_own_waker(async {
            context.cancelled().await;
            8
        })
        .await
    }
    async fn cancelled_or_opened(&self, context: &Context<'_>) -> u8 {
        let (mut cancelled, mut opened) = (Box::pin(with_own_waker(context.cancelled())), Box::pin(self.gate.passed()));
        poll_fn(|task| {
            if cancelled.as_mut().poll(task).is_ready() {
                return Poll::Ready(1);
            }
            opened.as_mut().poll(task).map(|()| 2)
        })
        .await
    }
    async fn break_down(&self) -> u8 {
        yield_now().await;
        panic!("broken");
    }
    async fn append(&self, n: u32) {
        for _ in 0..n % 4 {
            yield_now().await;
        }
        self.list.lock().expect("not poisoned").push(n);
    }
    async fn ask_alone(&self, context: &Context<'_>) -> Result<i64, ErrorObject> {
        let peer = context.peer().ok_or_else(ErrorObject::internal_error)?;
        Ok(ApiClient::new(peer).add(1, 2).await?)
    }
    async fn read(&self) -> Vec<u32> {
        self.list.lock().expect("not poisoned").clone()
    }
    async fn stop(&self, context: &Context<'_>) -> bool {
        context.peer().inspect(Peer::shutdown).is_some()
    }
    async fn fact(&self, context: &Context<'_>) -> Option<u16> {
        context.extension::<u16>().copied()
    }
    async fn keep(&self, context: &Context<'_>) -> bool {
        *self.kept_peer.lock().expect("not poisoned") = context.peer();
        true
    }
}

/// Runs a future with a waker of its own, as a combinator does. The future is polled only after that waker was woken,
/// and each poll has a new waker.
async fn with_own_waker<F: Future>(future: F) -> F::Output {
    struct OwnWaker(AtomicBool, Waker);
    impl Wake for OwnWaker {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
            self.1.wake_by_ref();
        }
    }
    let (mut future, mut last) = (Box::pin(future), None::<Arc<OwnWaker>>);
    poll_fn(|task| {
        if last.as_ref().is_some_and(|waker| !waker.0.load(Ordering::SeqCst)) {
            return Poll::Pending;
        }
        let waker = Arc::new(OwnWaker(AtomicBool::new(false), task.waker().clone()));
        last = Some(waker.clone());
        future.as_mut().poll(&mut std::task::Context::from_waker(&waker.into()))
    })
    .await
}

fn builder(mine: &Mine) -> Builder<ApiService<Mine>> {
    Connection::builder(Server::new(ApiService::new(mine.clone())))
}

/// Two running connections to each other. `here` and `there` are their handles.
struct Pair {
    executor: Executor,
    here: Peer,
    there: Peer,
    here_ended: Spawned<CloseReason>,
    there_ended: Spawned<CloseReason>,
}

fn pair(here: Builder<impl Service>, there: Builder<impl Service>) -> Pair {
    let (one, other) = memory::pair(1 << 16);
    let ((here, here_connection), (there, there_connection)) = (here.over(one), there.over(other));
    let mut executor = Executor::new();
    let (here_ended, there_ended) = (executor.spawn(here_connection.run()), executor.spawn(there_connection.run()));
    Pair { executor, here, there, here_ended, there_ended }
}

/// The bare end of a transport, whose other end is a running connection. `peer` is the handle of that connection.
struct RawPeer {
    executor: Executor,
    peer: Peer,
    ended: Spawned<CloseReason>,
    source: MemorySource,
    sink: Option<MemorySink>,
}

fn raw_peer(builder: Builder<impl Service>) -> RawPeer {
    let (one, (source, sink)) = memory::pair(1 << 16);
    let (peer, connection) = builder.over(one);
    let mut executor = Executor::new();
    let ended = executor.spawn(connection.run());
    RawPeer { executor, peer, ended, source, sink: Some(sink) }
}

impl RawPeer {
    /// Sends messages in one write, and runs the connection until it is idle.
    fn send(&mut self, messages: &[&str]) {
        let mut all = Messages::new();
        for message in messages {
            all.push(message.as_bytes());
        }
        let mut sink = self.sink.take().expect("an open sink");
        let sink = self.executor.block_on(async move {
            sink.send(&all).await.expect("the connection reads");
            sink
        });
        self.sink = Some(sink);
        self.executor.run();
    }

    /// Runs the connection until it is idle, and returns the messages it has sent since the last call.
    fn received(&mut self) -> Vec<String> {
        self.executor.run();
        let mut received = Vec::new();
        let mut context = std::task::Context::from_waker(Waker::noop());
        loop {
            let mut message = Vec::new();
            let poll = std::pin::pin!(self.source.receive(&mut message, usize::MAX)).poll(&mut context);
            if !matches!(poll, Poll::Ready(Ok(true))) {
                return received;
            }
            received.push(String::from_utf8(message).expect("text"));
            self.executor.run();
        }
    }
}

fn call(id: impl std::fmt::Display, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":{id}}}"#)
}

fn cancel(id: impl std::fmt::Display) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{id}}}}}"#)
}

fn result(id: impl std::fmt::Display, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#)
}

fn code(response: &str) -> (Value, i64) {
    let response: Value = serde_json::from_str(response).expect("JSON");
    (response["id"].clone(), response["error"]["code"].as_i64().unwrap_or(0))
}

#[test]
fn both_sides_call_each_other() {
    let Pair { mut executor, here, there, here_ended, there_ended } =
        pair(builder(&Mine::default()), builder(&Mine::default()));
    let (here_api, there_api) = (ApiClient::new(here.clone()), ApiClient::new(there));
    let mut call_both = |n| (n, executor.spawn(here_api.add(n, 1)), executor.spawn(there_api.add(n, 2)));
    let sums: Vec<_> = (0..100).map(&mut call_both).collect();
    executor.run();
    for (n, here_sum, there_sum) in sums {
        assert_eq!(here_sum.take().expect("a response").expect("a sum"), n + 1);
        assert_eq!(there_sum.take().expect("a response").expect("a sum"), n + 2);
    }
    here.shutdown();
    executor.run();
    assert_eq!(here_ended.take(), Some(CloseReason::ByUs));
    assert_eq!(there_ended.take(), Some(CloseReason::ByPeer));
}

#[test]
fn typed_batches_cross_a_connection_in_both_directions() {
    let Pair { mut executor, here, there, .. } = pair(builder(&Mine::default()), builder(&Mine::default()));
    for peer in [here, there] {
        let api = ApiClient::new(peer);
        let (sum, list, appended) =
            executor.block_on(api.batch((api.add(1, 2), api.read(), api.append(0)))).expect("a batch");
        assert_eq!((sum.expect("a sum"), list.expect("a list").len()), (3, 0));
        appended.expect("sent");
    }
}

// R22
#[test]
fn a_cancel_right_behind_its_request_cancels_it() {
    let wait = |id: u32| [call(id, "wait"), cancel(id)];
    for has_started in [false, true] {
        let mine = Mine::default();
        let mut raw = raw_peer(builder(&mine));
        let messages: Vec<_> = (0..30).flat_map(wait).collect();
        if has_started {
            for message in &messages {
                raw.send(&[message]);
            }
        } else {
            raw.send(&messages.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let received = raw.received();
        let ids: Vec<_> = received.iter().map(|response| code(response)).collect();
        assert_eq!(ids, (0..30).map(|id| (id.into(), -32800)).collect::<Vec<_>>());
        assert_eq!(mine.running.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn a_cancelled_method_may_still_return_a_result() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine));
    raw.send(&[&call(1, "until_cancelled"), &call(2, "answers_cancel")]);
    raw.send(&[&cancel(1), &cancel(2)]);
    let mut received = raw.received();
    received.sort();
    assert_eq!(code(&received[0]), (1.into(), -32800));
    assert_eq!(received[1], result(2, "9"));
    assert_eq!((mine.running.load(Ordering::SeqCst), mine.saw_cancel.load(Ordering::SeqCst)), (0, 1));
    // A completed call gets no second response.
    raw.send(&[&cancel(1), &cancel(2), &cancel(3)]);
    assert!(raw.received().is_empty());
}

#[test]
fn a_cancel_wakes_a_method_that_awaits_it_with_another_waker() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine));
    raw.send(&[
        &call(1, "answers_cancel_inside"),
        &format!("[{},{}]", call(2, "wait"), call(3, "answers_cancel_inside")),
    ]);
    raw.send(&[&cancel(3), &cancel(1)]);
    assert_eq!(raw.received(), [result(1, "8")]);
    // Both calls with the id see the cancel.
    raw.send(&[&call(4, "cancelled_or_opened"), &call(4, "cancelled_or_opened")]);
    raw.send(&[&cancel(4)]);
    assert_eq!(raw.received(), [result(4, "1"), result(4, "1")]);
    raw.send(&[&call(6, "cancelled_or_opened")]);
    mine.gate.open();
    let mut received = raw.received();
    received.sort();
    assert_eq!(received, [format!("[{},{}]", result(2, "7"), result(3, "8")), result(6, "2")]);
    // A cancel of a completed call does not affect a new call with the same id.
    raw.send(&[&cancel(6), &call(6, "read")]);
    assert_eq!(raw.received(), [result(6, "[]")]);
}

#[test]
fn a_cancel_in_a_batch_takes_effect() {
    let mine = Mine::default();
    let mut raw = raw_peer(Connection::builder(Server::new(ApiService::new(mine.clone())).max_batch_members(4)));
    raw.send(&[&call(1, "wait"), &call(2, "wait"), &call(3, "wait")]);
    // Before and after calls in the batch, and in a batch of its own.
    raw.send(&[&format!("[{},{},{}]", cancel(1), call(4, "read"), call(5, "wait"))]);
    let received = raw.received();
    assert_eq!((received.len(), code(&received[0])), (1, (1.into(), -32800)));
    raw.send(&[&format!("[{},{}]", cancel(5), cancel(2))]);
    let mut received = raw.received();
    received.sort();
    let batch: Value = serde_json::from_str(&received[0]).expect("JSON");
    assert_eq!((&batch[0]["id"], &batch[1]["error"]["code"]), (&4.into(), &(-32800).into()));
    assert_eq!((received.len(), code(&received[1])), (2, (2.into(), -32800)));
    // In the batch of its call, which has not started.
    raw.send(&[&format!("[{},{}]", call(6, "wait"), cancel(6))]);
    assert!(raw.received()[0].starts_with(r#"[{"jsonrpc":"2.0","error":{"code":-32800"#));
    // Together with a response.
    let sum = raw.executor.spawn(ApiClient::new(raw.peer.clone()).add(1, 2));
    raw.executor.run();
    raw.received();
    raw.send(&[&format!("[{},{}]", result(1, "3"), cancel(3))]);
    assert_eq!(sum.take().expect("a response").expect("a sum"), 3);
    assert_eq!(code(&raw.received()[0]), (3.into(), -32800));
    // A batch over the member limit has no effect.
    raw.send(&[&call(7, "wait"), &format!("[{0},{0},{0},{0},{0}]", cancel(7))]);
    assert_eq!(code(&raw.received()[0]), (Value::Null, -32600));
    assert_eq!(mine.running.load(Ordering::SeqCst), 1);
}

#[test]
fn the_profile_decides_whether_a_cancelled_call_is_answered() {
    for (profile, text, responses) in [
        (Profile::native(), cancel("\"x\""), 1),
        (Profile::strict(), cancel("\"x\""), 1),
        (Profile::lsp(), cancel("\"x\""), 1),
        (
            Profile::mcp(),
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x","reason":"late"}}"#
                .to_owned(),
            0,
        ),
        (Profile::native().cancel(None), cancel("\"x\""), 0),
    ] {
        let mine = Mine::default();
        let mut raw = raw_peer(builder(&mine).profile(profile.clone()));
        raw.send(&[&call("\"x\"", "wait"), &text]);
        assert_eq!(raw.received().len(), responses, "{profile:?}");
        assert_eq!(mine.running.load(Ordering::SeqCst), usize::from(profile.cancel.is_none()));
    }
}

#[test]
fn a_cancel_cancels_every_call_with_its_id_and_no_other() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine).max_running(3));
    // With the id 1: two calls run, one runs in a batch, one is queued.
    raw.send(&[
        &call(1, "wait"),
        &call("1.0", "wait"),
        &format!("[{},{}]", call(1, "wait"), call(2, "wait")),
        &call(1, "wait"),
        &call(4, "add"),
    ]);
    assert_eq!(mine.running.load(Ordering::SeqCst), 4);
    raw.send(&[&cancel(1)]);
    let received = raw.received();
    assert_eq!(mine.running.load(Ordering::SeqCst), 1, "{received:?}");
    mine.gate.open();
    let received = [received, raw.received()].concat();
    let codes: Vec<_> = received.iter().map(|response| code(response).1).collect();
    assert_eq!(codes.iter().filter(|code| **code == -32800).count(), 3, "{received:?}");
    assert!(received.iter().any(|response| response.starts_with('[')
        && response.contains("-32800")
        && response.contains(r#""result":7,"id":2"#)));
}

// R23
#[test]
fn a_dropped_call_is_cancelled_and_its_late_response_discarded() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine));
    let api = ApiClient::new(raw.peer.clone());
    let dropped = api.add(1, 2).into_future();
    let other = raw.executor.spawn(api.add(3, 4));
    raw.executor.run();
    drop(dropped);
    let received = raw.received();
    assert_eq!(received[2], r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#);
    assert_eq!(raw.peer.pending_calls(), 1);
    raw.send(&[&result(1, "3"), &result(2, "7")]);
    assert_eq!(other.take().expect("a response").expect("a sum"), 7);
    assert_eq!(raw.peer.pending_calls(), 0);
    assert!(raw.received().is_empty());
}

#[test]
fn an_answered_call_and_a_call_of_the_strict_profile_are_not_cancelled() {
    let mut strict = raw_peer(builder(&Mine::default()).profile(Profile::strict()));
    let future = ApiClient::new(strict.peer.clone()).add(1, 2).into_future();
    drop(future);
    assert_eq!(strict.received().len(), 1);
    let mut native = raw_peer(builder(&Mine::default()));
    let future = ApiClient::new(native.peer.clone()).add(1, 2).into_future();
    native.send(&[&result(1, "3")]);
    drop(future);
    assert_eq!(native.received().len(), 1);
}

// R25
#[test]
fn handlers_that_call_back_complete_when_every_slot_is_taken() {
    for calls in [8, 200] {
        let (mine, other) = (Mine::default(), Mine::default());
        let Pair { mut executor, here, .. } = pair(builder(&mine).max_running(4), builder(&other).max_running(4));
        let api = ApiClient::new(here);
        let depths: Vec<_> = (0..calls).map(|_| executor.spawn(api.nested(5))).collect();
        executor.run();
        for depth in depths {
            assert_eq!(depth.take().expect("completed").expect("a depth"), 5);
        }
    }
}

// R28
#[test]
fn exclusive_notifications_take_effect_in_order() {
    let mine = Mine::default();
    let Pair { mut executor, here, .. } = pair(builder(&Mine::default()), builder(&mine).max_queued(2000));
    let api = ApiClient::new(here);
    let slow = executor.spawn(api.wait());
    executor.run();
    let sent: Vec<_> = (0..1000).map(|n| executor.spawn(api.append(n))).collect();
    let read = executor.spawn(api.read());
    executor.run();
    assert!(sent.iter().all(|sent| sent.take().is_some_and(|sent| sent.is_ok())));
    // The slow call started before them, so they wait for it.
    assert!(read.take().is_none());
    mine.gate.open();
    executor.run();
    assert_eq!(slow.take().expect("a response").expect("a result"), 7);
    assert_eq!(read.take().expect("a response").expect("a list"), (0..1000).collect::<Vec<_>>());
}

#[test]
fn an_exclusive_handler_that_calls_the_peer_does_not_delay_other_calls() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine));
    raw.send(&[&call(1, "ask_alone"), r#"{"jsonrpc":"2.0","method":"add","params":[5,6],"id":2}"#]);
    let received = raw.received();
    assert_eq!(received.len(), 2, "{received:?}");
    assert!(received.contains(&result(2, "11")));
    raw.send(&[&result(1, "3")]);
    assert_eq!(raw.received(), [result(1, "3")]);
}

// R29
#[test]
fn pending_calls_fail_with_the_reason_the_connection_closed() {
    type Ending = fn(&mut RawPeer) -> CloseReason;
    let endings: [Ending; 3] = [
        |raw| {
            raw.sink = None;
            CloseReason::ByPeer
        },
        |raw| {
            raw.peer.shutdown();
            CloseReason::ByUs
        },
        |raw| {
            raw.executor = Executor::new();
            CloseReason::Dropped
        },
    ];
    for ending in endings {
        let mut raw = raw_peer(builder(&Mine::default()));
        let api = ApiClient::new(raw.peer.clone());
        let calls: Vec<_> = (0..16).map(|_| api.wait().into_future()).collect();
        let batch = api.batch((api.wait(), api.wait())).into_future();
        raw.executor.run();
        let reason = ending(&mut raw);
        raw.executor.run();
        for call in calls {
            let outcome = tests::task::now(call);
            assert!(matches!(&outcome, Err(ClientError::Closed(actual)) if *actual == reason), "{outcome:?}");
        }
        assert!(matches!(tests::task::now(batch), Err(ClientError::Closed(actual)) if actual == reason));
        let late = tests::task::now(api.add(1, 2));
        assert!(matches!(late, Err(ClientError::Closed(actual)) if actual == reason));
        assert!(matches!(tests::task::now(api.append(1)), Err(ClientError::Closed(_))));
        assert_eq!(raw.peer.close_reason(), Some(reason));
        assert_eq!(raw.peer.pending_calls(), 0);
    }
}

// R24
#[test]
fn handlers_are_dropped_when_the_transport_fails() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine));
    raw.send(&[&call(1, "wait"), &call(2, "wait")]);
    assert_eq!(mine.running.load(Ordering::SeqCst), 2);
    let RawPeer { mut executor, peer, ended, source, sink } = raw;
    drop(source);
    // The transport fails only when something is written.
    let sent = executor.spawn(ApiClient::new(peer).append(1));
    executor.run();
    assert!(sent.take().is_some());
    assert!(matches!(ended.take(), Some(CloseReason::Failed { kind: std::io::ErrorKind::BrokenPipe, .. })));
    assert_eq!(mine.running.load(Ordering::SeqCst), 0);
    drop(sink);
}

#[test]
fn running_and_queued_messages_share_one_byte_limit() {
    let message = call(1, "wait");
    for (limit, accepted) in [(1, 1), (message.len(), 1), (message.len() + 1, 2), (3 * message.len(), 3)] {
        for running in [1, 100] {
            let mine = Mine::default();
            let mut raw = raw_peer(builder(&mine).max_running(running).max_queued_bytes(limit));
            raw.send(&[&*message; 4]);
            let refused = raw.received();
            assert_eq!(refused.len(), 4 - accepted, "{limit} {running}: {refused:?}");
            assert!(refused.iter().all(|response| code(response) == (1.into(), -32000)), "{refused:?}");
            mine.gate.open();
            assert_eq!(raw.received(), vec![result(1, "7"); accepted]);
            // Completed calls free their bytes.
            raw.send(&[&*message]);
            assert_eq!(raw.received(), [result(1, "7")]);
        }
    }
}

/// A source of messages, and then of malformed input.
struct Malformed(Vec<String>);

impl Source for Malformed {
    async fn receive(&mut self, message: &mut Vec<u8>, _: usize) -> std::io::Result<bool> {
        match self.0.pop() {
            Some(next) => message.extend_from_slice(next.as_bytes()),
            None => return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "malformed")),
        }
        Ok(true)
    }
}

#[test]
fn messages_before_malformed_input_are_answered() {
    let mine = Mine::default();
    let ((_, sink), (mut source, _)) = memory::pair(1 << 16);
    let (peer, connection) = builder(&mine).over((Malformed(vec![call(2, "read"), call(1, "wait")]), sink));
    let mut executor = Executor::new();
    let ended = executor.spawn(connection.run());
    executor.run();
    // No response can arrive any more.
    let sum = executor.spawn(ApiClient::new(peer).add(1, 2));
    executor.run();
    assert!(matches!(sum.take(), Some(Err(ClientError::Closed(CloseReason::Failed { .. })))));
    assert!(ended.take().is_none());
    mine.gate.open();
    let responses = executor.spawn(async move {
        let mut responses = vec![];
        loop {
            let mut response = vec![];
            match source.receive(&mut response, 1 << 16).await {
                Ok(true) => responses.push(String::from_utf8(response).expect("UTF-8")),
                _ => return responses,
            }
        }
    });
    executor.run();
    assert_eq!(responses.take().expect("completed"), [result(2, "[]"), result(1, "7")]);
    let reason = ended.take();
    assert!(matches!(&reason, Some(CloseReason::Failed { message, .. }) if message == "malformed"), "{reason:?}");
}

#[test]
fn a_batch_over_the_member_limit_gets_one_error_even_when_the_queue_is_full() {
    let mine = Mine::default();
    let server = Server::new(ApiService::new(mine.clone())).max_batch_members(3);
    for is_shutting_down in [false, true] {
        let mut raw = raw_peer(Connection::builder(server.clone()).max_running(1).max_queued(1));
        raw.send(&[&call(1, "wait"), &call(2, "wait")]);
        if is_shutting_down {
            raw.peer.shutdown();
        }
        raw.send(&["[1,1,1]", "[1,1,1,1]", &format!("[{0},{0},{0},{0}]", call(3, "read"))]);
        let received = raw.received();
        let lengths: Vec<_> = received.iter().map(|response| response.matches("\"code\"").count()).collect();
        assert_eq!(lengths, [3, 1, 1], "{received:?}");
    }
}

#[test]
fn a_peer_that_does_not_read_is_idle() {
    let timer = ManualTimer::new();
    let mine = Mine::default();
    let ((source, sink), (_raw_source, mut raw_sink)) = memory::pair(16);
    let (_peer, connection) =
        builder(&mine).timer(timer.clone()).idle_timeout(Duration::from_secs(1)).over((source, sink));
    let mut executor = Executor::new();
    let ended = executor.spawn(connection.run());
    let mut messages = Messages::new();
    for id in 1..10 {
        messages.push(call(id, "read").as_bytes());
    }
    let sent = executor.spawn(async move { raw_sink.send(&messages).await.map(|()| raw_sink) });
    executor.run();
    let _raw_sink = sent.take().expect("completed").expect("sent");
    for _ in 0..2 {
        assert!(ended.take().is_none());
        timer.advance(Duration::from_secs(1));
        executor.run();
    }
    assert_eq!(ended.take(), Some(CloseReason::Idle));
}

#[test]
fn a_timer_that_is_always_ready_does_not_starve_calls() {
    struct Ready;
    impl Timer for Ready {
        fn sleep(&self, _: Duration) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
            Box::pin(async {})
        }
    }
    let mine = Mine::default();
    // A call runs, so the connection is not idle. Each poll must return.
    let ((source, sink), (mut raw_source, mut raw_sink)) = memory::pair(1 << 10);
    let (_peer, connection) = builder(&mine).timer(Ready).idle_timeout(Duration::from_nanos(1)).over((source, sink));
    let mut run = Box::pin(connection.run());
    let mut poll = || run.as_mut().poll(&mut std::task::Context::from_waker(Waker::noop())).is_pending();
    let mut messages = Messages::new();
    messages.push(call(1, "wait").as_bytes());
    messages.push(call(2, "read").as_bytes());
    rpc_core::block_on(raw_sink.send(&messages)).expect("there is room");
    assert!(poll() && poll());
    let mut response = vec![];
    assert!(rpc_core::block_on(raw_source.receive(&mut response, 1 << 10)).expect("a response"));
    assert_eq!(String::from_utf8_lossy(&response), result(2, "[]"));
}

#[test]
fn a_peer_that_calls_during_shutdown_and_does_not_read_is_disconnected() {
    let mine = Mine::default();
    let ((source, sink), (_raw_source, mut raw_sink)) = memory::pair(1 << 10);
    let (peer, connection) = builder(&mine).max_unsent_bytes(1 << 12).over((source, sink));
    let mut executor = Executor::new();
    let ended = executor.spawn(connection.run());
    let mut messages = Messages::new();
    messages.push(call(1, "wait").as_bytes());
    let first = messages.clone();
    let sent = executor.spawn(async move { raw_sink.send(&first).await.map(|()| raw_sink) });
    executor.run();
    let mut raw_sink = sent.take().expect("completed").expect("sent");
    peer.shutdown();
    let sent = executor.spawn(async move { while raw_sink.send(&messages).await.is_ok() {} });
    executor.run();
    assert_eq!(ended.take(), Some(CloseReason::NotRead));
    assert!(sent.take().is_some());
}

#[test]
fn the_end_of_input_cancels_no_call() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine).max_running(1));
    raw.send(&[&call(1, "wait"), &call(2, "wait"), &call(3, "wait")]);
    raw.sink = None;
    raw.executor.run();
    assert!(raw.ended.take().is_none());
    mine.gate.open();
    assert_eq!(raw.received(), [result(1, "7"), result(2, "7"), result(3, "7")]);
    assert_eq!(raw.ended.take(), Some(CloseReason::ByPeer));
}

// R30
#[test]
fn a_shutdown_completes_running_calls_without_further_input() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine));
    raw.send(&[&call(1, "wait"), &call(2, "stop")]);
    assert_eq!(raw.received(), [result(2, "true")]);
    assert!(raw.ended.take().is_none(), "a call is still running");
    raw.send(&[&call(3, "add")]);
    assert_eq!(code(&raw.received()[0]), (3.into(), -32000));
    mine.gate.open();
    assert_eq!(raw.received(), [result(1, "7")]);
    assert_eq!(raw.ended.take(), Some(CloseReason::ByUs));
    // A connection without running calls closes at once.
    let mut idle = raw_peer(builder(&mine));
    idle.executor.run();
    idle.peer.shutdown();
    idle.executor.run();
    assert_eq!(idle.ended.take(), Some(CloseReason::ByUs));
}

#[test]
fn a_handler_that_outlasts_the_shutdown_timeout_is_dropped() {
    let (mine, timer) = (Mine::default(), ManualTimer::new());
    let mut raw = raw_peer(builder(&mine).timer(timer.clone()).shutdown_timeout(Duration::from_secs(3)));
    raw.send(&[&call(1, "wait")]);
    raw.peer.shutdown();
    raw.executor.run();
    timer.advance(Duration::from_secs(2));
    raw.executor.run();
    assert!(raw.ended.take().is_none());
    timer.advance(Duration::from_secs(1));
    raw.executor.run();
    assert_eq!(raw.ended.take(), Some(CloseReason::ByUs));
    assert_eq!(mine.running.load(Ordering::SeqCst), 0);
}

// R19
#[test]
fn a_panic_fails_only_its_own_call() {
    let Pair { mut executor, here, there, .. } = pair(builder(&Mine::default()), builder(&Mine::default()));
    for peer in [here, there] {
        let api = ApiClient::new(peer);
        let (panicked, fine) = (executor.spawn(api.break_down()), executor.spawn(api.add(1, 2)));
        executor.run();
        assert!(matches!(panicked.take().expect("a response"), Err(ClientError::Rpc(error)) if error.code == -32603));
        assert_eq!(fine.take().expect("a response").expect("a sum"), 3);
        assert_eq!(executor.block_on(api.add(2, 3)).expect("a sum"), 5);
    }
}

#[test]
fn invalid_messages_are_answered_and_the_connection_stays_open() {
    let mut raw = raw_peer(builder(&Mine::default()));
    raw.send(&["not json", "[]", "7", r#"{"jsonrpc":"2.0","result":1,"id":99}"#, &call(1, "nope")]);
    let codes: Vec<_> = raw.received().iter().map(|response| code(response).1).collect();
    assert_eq!(codes, [-32700, -32600, -32600, -32601]);
}

// R57
#[test]
fn an_error_with_a_null_id_completes_the_only_pending_call() {
    let null_id = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    let mut raw = raw_peer(builder(&Mine::default()));
    let api = ApiClient::new(raw.peer.clone());
    let (one, other) = (raw.executor.spawn(api.wait()), raw.executor.spawn(api.wait()));
    raw.executor.run();
    raw.send(&[null_id, r#"{"jsonrpc":"2.0","result":1,"id":99999}"#]);
    assert!(one.take().is_none() && other.take().is_none());
    raw.send(&[&result(1, "1"), null_id]);
    assert_eq!(one.take().expect("a response").expect("a result"), 1);
    assert!(matches!(other.take().expect("a response"), Err(ClientError::Rpc(error)) if error.code == -32700));
}

// R16
#[test]
fn an_error_response_to_a_whole_batch_completes_it() {
    let refused = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}"#;
    let mut raw = raw_peer(builder(&Mine::default()));
    let api = ApiClient::new(raw.peer.clone());
    let batch = raw.executor.spawn(api.batch([api.wait(), api.wait(), api.wait()]));
    raw.executor.run();
    raw.send(&[refused]);
    assert!(matches!(batch.take().expect("completed"), Err(ClientError::Rpc(error)) if error.code == -32600));
    // R15: responses are paired by id in any order. A call without a response fails alone.
    let batch = raw.executor.spawn(api.batch([api.wait(), api.wait(), api.wait()]));
    raw.executor.run();
    raw.send(&[&format!("[{},{},{}]", result(6, "6"), result("1e999", "0"), result(4, "4"))]);
    let [four, five, six] = batch.take().expect("completed").expect("a batch");
    assert_eq!((four.expect("a result"), six.expect("a result")), (4, 6));
    assert!(matches!(five, Err(ClientError::Protocol(_))));
}

#[test]
fn an_array_of_requests_and_responses_is_split() {
    let mut raw = raw_peer(builder(&Mine::default()));
    let api = ApiClient::new(raw.peer.clone());
    let sum = raw.executor.spawn(api.add(1, 2));
    raw.received();
    raw.send(&[&format!("[{},{},3]", result(1, "3"), call(1, "read"))]);
    assert_eq!(sum.take().expect("a response").expect("a sum"), 3);
    let received = raw.received();
    assert!(received[0].starts_with(r#"[{"jsonrpc":"2.0","result":[],"id":1},"#), "{received:?}");
    assert_eq!(received.len(), 1);
}

// R34
#[test]
fn a_batch_over_the_member_limit_runs_nothing() {
    let mine = Mine::default();
    let server = Server::new(ApiService::new(mine.clone())).max_batch_members(2);
    let mut raw = raw_peer(Connection::builder(server));
    raw.send(&[&format!("[{0},{0},{0}]", call(1, "wait")), &format!("[{0},{0}]", call(1, "read"))]);
    let received = raw.received();
    assert_eq!(code(&received[0]), (Value::Null, -32600));
    assert_eq!(received.len(), 2);
    assert_eq!(mine.max_running.load(Ordering::SeqCst), 0);
}

#[test]
fn a_full_queue_refuses_requests_and_closes_on_a_notification() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine).max_running(1).max_queued(2));
    raw.send(&[&call(1, "wait")]);
    raw.send(&[&call(2, "wait"), &call(3, "wait"), &call(4, "wait"), &format!("[{}]", call(5, "wait"))]);
    let received = raw.received();
    assert_eq!(code(&received[0]), (4.into(), -32000));
    assert!(received[1].starts_with('[') && received[1].contains(r#""id":5"#), "{received:?}");
    // Responses are still read.
    let sum = raw.executor.spawn(ApiClient::new(raw.peer.clone()).add(1, 2));
    raw.executor.run();
    raw.send(&[&result(1, "3")]);
    assert_eq!(sum.take().expect("a response").expect("a sum"), 3);
    raw.send(&[r#"{"jsonrpc":"2.0","method":"append","params":[1]}"#]);
    assert_eq!(raw.ended.take(), Some(CloseReason::Flooded));
    assert_eq!(mine.running.load(Ordering::SeqCst), 0);
}

#[test]
fn a_peer_that_calls_and_does_not_read_is_disconnected_at_the_limit() {
    let (one, (source, mut sink)) = memory::pair(1 << 10);
    let (peer, connection) = builder(&Mine::default()).max_unsent_bytes(1 << 12).max_queued(16).over(one);
    let mut executor = Executor::new();
    let ended = executor.spawn(connection.run());
    let sent = executor.spawn(async move {
        let mut messages = Messages::new();
        messages.push(call(1, "read").as_bytes());
        let mut count = 0;
        while sink.send(&messages).await.is_ok() {
            count += 1;
        }
        count
    });
    let mut notes: Vec<_> = (0..1000).map(|_| executor.spawn(ApiClient::new(peer.clone()).append(1))).collect();
    executor.run();
    assert_eq!(ended.take(), Some(CloseReason::NotRead));
    assert!(sent.take().expect("a failed send") < 1000);
    // The queued notifications have failed.
    assert!(notes.drain(..).all(|outcome| outcome.take().is_some()));
    drop(source);
}

#[test]
fn a_profile_without_null_ids_or_batches_refuses_them() {
    let mut raw = raw_peer(builder(&Mine::default()).profile(Profile::mcp()));
    raw.send(&[&call("null", "read"), &format!("[{}]", call(1, "read")), &call("\"a\"", "read")]);
    let received = raw.received();
    assert_eq!(code(&received[0]), (Value::Null, -32600));
    assert_eq!(code(&received[1]), (Value::Null, -32600));
    assert_eq!(received[2], result("\"a\"", "[]"));
    let api = ApiClient::new(raw.peer.clone());
    assert!(matches!(raw.executor.block_on(api.batch((api.read(),))), Err(ClientError::Unsupported(_))));
}

#[test]
fn custom_ids_do_not_clash_with_generated_ids() {
    let mut raw = raw_peer(builder(&Mine::default()));
    let api = ApiClient::new(raw.peer.clone());
    let text = raw.executor.spawn(api.wait().id("mine"));
    let number = raw.executor.spawn(api.wait().id(1));
    let generated = raw.executor.spawn(api.wait());
    raw.executor.run();
    assert!(matches!(raw.executor.block_on(api.wait().id("mine")), Err(ClientError::NotSent(_))));
    let received = raw.received();
    assert_eq!(received, [call("\"mine\"", "wait"), call(1, "wait"), call(2, "wait")]);
    raw.send(&[&result("\"\\u006dine\"", "1"), &result(2, "3"), &result(1, "2")]);
    let results = [text, number, generated].map(|call| call.take().expect("a response").expect("a result"));
    assert_eq!(results, [1, 2, 3]);
    assert_eq!(raw.peer.pending_calls(), 0);
}

#[test]
fn methods_see_the_extensions_of_their_connection() {
    let mine = Mine::default();
    let Pair { mut executor, here, there, .. } = pair(builder(&mine).extension(7_u16), builder(&mine));
    assert_eq!(executor.block_on(ApiClient::new(there).fact()).expect("a result"), Some(7));
    assert_eq!(executor.block_on(ApiClient::new(here).fact()).expect("a result"), None);
    let server = Server::new(ApiService::new(mine));
    assert_eq!(executor.block_on(ApiClient::new(server.caller()).fact()).expect("a result"), None);
}

// R08
#[test]
fn no_response_arrives_before_its_call_is_registered() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    runtime.block_on(async {
        let (one, other) = memory::pair(1 << 16);
        let (peer, calling) = builder(&Mine::default()).over(one);
        let (_, serving) = builder(&Mine::default()).over(other);
        tokio::spawn(calling.run());
        tokio::spawn(serving.run());
        let tasks: Vec<_> = (0..8)
            .map(|task| {
                let api = ApiClient::new(peer.clone());
                tokio::spawn(async move {
                    for n in 0..12_500 {
                        assert_eq!(api.add(n, task).await.expect("a response"), n + task);
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
        assert_eq!(peer.pending_calls(), 0);
    });
}

#[test]
fn a_raw_call_over_a_connection_returns_the_text_of_the_response() {
    let Pair { mut executor, here, .. } = pair(Connection::builder(Server::new(())), builder(&Mine::default()));
    let response = here.call(Outgoing::new("add", &[1, 2]).expect("plain data"));
    assert_eq!(executor.block_on(response).expect("a response"), result(1, "3"));
    let missing = Call::<_, u8>::new(&here, "nope", &()).into_future();
    assert!(matches!(executor.block_on(missing), Err(ClientError::Rpc(error)) if error.code == -32601));
}

#[test]
fn custom_ids_are_paired_in_batches_and_with_errors_without_an_id() {
    let Pair { mut executor, here, .. } = pair(builder(&Mine::default()), builder(&Mine::default()));
    let api = ApiClient::new(here.clone());
    let (one, two, three) =
        executor.block_on(api.batch((api.add(1, 2).id("x"), api.add(3, 4), api.add(5, 6).id(70)))).expect("a batch");
    assert_eq!([one, two, three].map(|sum| sum.expect("a sum")), [3, 7, 11]);
    assert_eq!(here.pending_calls(), 0);

    let null_id = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    let mut raw = raw_peer(builder(&Mine::default()));
    let api = ApiClient::new(raw.peer.clone());
    let pending = raw.executor.spawn(api.wait().id("x"));
    raw.executor.run();
    raw.send(&[null_id]);
    assert!(matches!(pending.take().expect("completed"), Err(ClientError::Rpc(error)) if error.code == -32700));
    let batch = raw.executor.spawn(api.batch((api.wait().id("x"), api.wait().id("y"))));
    raw.executor.run();
    raw.send(&[null_id]);
    assert!(matches!(batch.take().expect("completed"), Err(ClientError::Rpc(error)) if error.code == -32700));
    // A batch call without a response fails, too. No number is paired with a custom text id.
    let batch = raw.executor.spawn(api.batch((api.wait().id("x"), api.wait().id("y"))));
    raw.executor.run();
    raw.send(&[&result(1, "1"), &result(u64::MAX - 1, "1"), &format!("[{}]", result("\"y\"", "2"))]);
    let (x, y) = batch.take().expect("completed").expect("a batch");
    assert!(matches!(x, Err(ClientError::Protocol(_))));
    assert_eq!(y.expect("a result"), 2);
    assert_eq!(raw.peer.pending_calls(), 0);
}

#[test]
fn a_connection_dropped_before_it_runs_fails_its_calls() {
    for is_future in [false, true] {
        let (one, _other) = memory::pair(100);
        let (peer, connection) = builder(&Mine::default()).over(one);
        let call = ApiClient::new(peer.clone()).wait().into_future();
        if is_future {
            drop(connection.run());
        } else {
            drop(connection);
        }
        assert!(matches!(tests::task::now(call), Err(ClientError::Closed(CloseReason::Dropped))));
        assert_eq!((peer.pending_calls(), peer.close_reason()), (0, Some(CloseReason::Dropped)));
    }
}

#[test]
fn the_close_reason_is_final() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine));
    raw.send(&[&call(1, "wait")]);
    raw.sink = None;
    raw.executor.run();
    // The response cannot be written any more.
    drop(raw.source);
    mine.gate.open();
    raw.executor.run();
    assert_eq!(raw.ended.take(), Some(CloseReason::ByPeer));
    assert_eq!(raw.peer.close_reason(), Some(CloseReason::ByPeer));
}

#[test]
fn a_batch_occupies_its_slot_while_any_member_runs() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine).max_running(1));
    let nested = r#"{"jsonrpc":"2.0","method":"nested","params":[1],"id":2}"#;
    raw.send(&[&format!("[{},{nested}]", call(1, "wait")), &call(3, "read")]);
    let received = raw.received();
    assert!(received.len() == 1 && received[0].contains("nested"), "{received:?}");
    // One member has completed, the other still runs.
    raw.send(&[&result(1, "0")]);
    assert!(raw.received().is_empty());
    mine.gate.open();
    assert_eq!(raw.received().len(), 2);
    // All members wait for the peer, so the slot is free.
    raw.send(&[&format!("[{nested},{nested}]"), &call(3, "read")]);
    let received = raw.received();
    assert_eq!((received.len(), &received[2]), (3, &result(3, "[]")));
}

#[test]
fn a_peer_handle_that_outlives_its_handler_frees_no_slot() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine).max_running(1));
    raw.send(&[&call(1, "keep")]);
    let kept_peer = mine.kept_peer.lock().expect("not poisoned").take().expect("a handle");
    let sum = raw.executor.spawn(ApiClient::new(kept_peer).add(1, 2));
    raw.send(&[&call(2, "wait"), &call(3, "wait")]);
    assert_eq!(mine.running.load(Ordering::SeqCst), 1);
    raw.send(&[&result(1, "3")]);
    assert_eq!(sum.take().expect("a response").expect("a sum"), 3);
    mine.gate.open();
    assert_eq!(raw.received().len(), 4);
}

#[test]
fn an_object_that_is_neither_a_request_nor_a_response_gets_an_error() {
    let mut raw = raw_peer(builder(&Mine::default()));
    let api = ApiClient::new(raw.peer.clone());
    let empty = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#);
    raw.send(&[&empty("\"x\""), &format!("[{},{}]", empty("8"), empty("9"))]);
    let received = raw.received();
    assert_eq!(code(&received[0]), ("x".into(), -32600));
    assert!(
        received[1].starts_with('[') && received[1].contains(r#""id":8"#) && received[1].contains(r#""id":9"#),
        "{received:?}"
    );
    // With the id of a pending call it fails that call.
    let pending = raw.executor.spawn(api.wait());
    raw.received();
    raw.send(&[&format!("[{},{},{}]", empty("1"), empty("2"), call(3, "read"))]);
    assert!(matches!(pending.take().expect("completed"), Err(ClientError::Protocol(_))));
    let received = raw.received();
    assert!(
        received.iter().any(|response| response.contains("-32600") && response.contains(r#""id":2"#)),
        "{received:?}"
    );
    assert!(received.iter().any(|response| response.contains(&result(3, "[]"))), "{received:?}");
}

#[test]
fn invalid_messages_are_answered_when_the_queue_is_full() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine).max_running(1).max_queued(1));
    raw.send(&[&call(1, "wait")]);
    raw.send(&[&call(2, "wait")]);
    raw.send(&["{", r#"{"jsonrpc":"2.0","method":7,"id":3}"#, &format!("[1,{}]", call(4, "wait")), "[1]"]);
    let received = raw.received();
    assert_eq!([code(&received[0]), code(&received[1])], [(Value::Null, -32700), (3.into(), -32600)]);
    assert!(received[2].contains("-32600") && received[2].contains(r#""id":4"#), "{received:?}");
    assert!(received[3].starts_with('[') && received[3].contains("-32600"), "{received:?}");
    assert!(raw.ended.take().is_none());
}

#[test]
fn a_call_that_can_start_at_once_is_not_queued() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine).max_queued(1));
    let append = r#"{"jsonrpc":"2.0","method":"append","params":[0]}"#;
    let (calls, notes): (Vec<_>, Vec<_>) = (0..50).map(|id| (call(id, "fact"), append)).unzip();
    raw.send(&calls.iter().map(String::as_str).collect::<Vec<_>>());
    raw.send(&notes);
    let received = raw.received();
    assert_eq!(received, (0..50).map(|id| result(id, "null")).collect::<Vec<_>>());
    assert_eq!(mine.list.lock().expect("not poisoned").len(), 50);
    assert!(raw.ended.take().is_none());
}

#[test]
fn a_peer_that_reads_is_not_disconnected() {
    let mine = Mine::default();
    let mut raw = raw_peer(builder(&mine).max_running(1).max_queued(1).max_unsent_bytes(0));
    raw.send(&[&call(0, "wait")]);
    let calls: Vec<_> = (1..50).map(|id| call(id, "wait")).collect();
    raw.send(&calls.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(raw.received().len(), 48);
    assert!(raw.ended.take().is_none());
}

/// A waker that uses its connection when the last clone is dropped.
struct UsesPeerOnDrop(Peer);

impl Wake for UsesPeerOnDrop {
    fn wake(self: Arc<Self>) {}
}

impl Drop for UsesPeerOnDrop {
    fn drop(&mut self) {
        let _ = self.0.pending_calls();
    }
}

#[test]
fn a_waker_may_use_the_connection_when_it_is_dropped() {
    let (sender, done) = std::sync::mpsc::channel();
    // After a deadlock the thread would not end.
    std::thread::spawn(move || {
        let raw = raw_peer(builder(&Mine::default()).max_unsent_bytes(0));
        let api = ApiClient::new(raw.peer.clone());
        let waker = || Waker::from(Arc::new(UsesPeerOnDrop(raw.peer.clone())));
        let mut sent = Box::pin(api.wait().into_future());
        let mut unsent = Box::pin(api.wait().into_future());
        let mut note = Box::pin(api.append(1).into_future());
        for _ in 0..2 {
            // The connection holds the last clone of each waker.
            assert!(sent.as_mut().poll(&mut std::task::Context::from_waker(&waker())).is_pending());
            assert!(unsent.as_mut().poll(&mut std::task::Context::from_waker(&waker())).is_pending());
            assert!(note.as_mut().poll(&mut std::task::Context::from_waker(&waker())).is_pending());
        }
        drop((sent, unsent, note));
        let (one, _other) = memory::pair(0);
        let (peer, connection) = builder(&Mine::default()).over(one);
        let mut run = Box::pin(connection.run());
        for _ in 0..2 {
            let waker = Waker::from(Arc::new(UsesPeerOnDrop(peer.clone())));
            assert!(run.as_mut().poll(&mut std::task::Context::from_waker(&waker)).is_pending());
        }
        sender.send(()).expect("the test waits");
    });
    done.recv_timeout(Duration::from_secs(20)).expect("no deadlock");
}

#[test]
fn queued_messages_are_sent_in_order() {
    let mut raw = raw_peer(builder(&Mine::default()).max_unsent_bytes(0));
    let api = ApiClient::new(raw.peer.clone());
    // The first message fits the buffer. Each is queued when its future is created, polled or not.
    let first = api.wait().into_future();
    let second = api.wait().into_future();
    let third = api.append(3).into_future();
    let batch = api.batch((api.wait(), api.append(4))).into_future();
    let (dropped_call, dropped_note) = (api.read().into_future(), api.append(5).into_future());
    let last = api.wait().id("last").into_future();
    drop((dropped_call, dropped_note, api.batch((api.read(),)).into_future()));
    // The futures are polled in another order.
    let last = raw.executor.spawn(last);
    let batch = raw.executor.spawn(batch);
    let third = raw.executor.spawn(third);
    let calls = [raw.executor.spawn(second), raw.executor.spawn(first)];
    let received = raw.received();
    let append = |n: u8| format!(r#"{{"jsonrpc":"2.0","method":"append","params":{{"n":{n}}}}}"#);
    let batched = format!("[{},{}]", call(3, "wait"), append(4));
    assert_eq!(received, [call(1, "wait"), call(2, "wait"), append(3), batched, call("\"last\"", "wait")]);
    third.take().expect("sent").expect("sent");
    // The dropped calls were never sent, so none is cancelled.
    assert!(raw.received().is_empty());
    assert_eq!(raw.peer.pending_calls(), 4);
    raw.send(&[&result(1, "1"), &result(2, "2"), &format!("[{}]", result(3, "3")), &result("\"last\"", "4")]);
    assert_eq!(calls.map(|call| call.take().expect("a response").expect("a result")), [2, 1]);
    let (batched, _) = batch.take().expect("a response").expect("a response");
    assert_eq!((batched.expect("a result"), last.take().expect("a response").expect("a result")), (3, 4));
}

#[test]
fn queued_messages_fail_when_the_connection_closes() {
    let raw = raw_peer(builder(&Mine::default()).max_unsent_bytes(0));
    let RawPeer { mut executor, peer, ended, source, sink } = raw;
    let api = ApiClient::new(peer);
    let sent = api.append(1).into_future();
    let (call, note) = (executor.spawn(api.wait()), executor.spawn(api.append(2)));
    drop((source, sink));
    executor.run();
    assert!(ended.take().is_some());
    assert!(matches!(call.take(), Some(Err(ClientError::Closed(_)))));
    assert!(matches!(note.take(), Some(Err(ClientError::Closed(_)))));
    tests::task::now(sent).expect("it fitted the buffer");
}

#[test]
fn a_queued_message_stores_one_waker() {
    let raw = raw_peer(builder(&Mine::default()).max_unsent_bytes(0).call_timeout(None));
    let api = ApiClient::new(raw.peer.clone());
    let first = api.wait().into_future();
    let counted = Arc::new(UsesPeerOnDrop(raw.peer.clone()));
    let waker = Waker::from(counted.clone());
    let mut context = std::task::Context::from_waker(&waker);
    let (mut call, mut note) = (Box::pin(api.wait().into_future()), Box::pin(api.append(1).into_future()));
    for _ in 0..100 {
        assert!(call.as_mut().poll(&mut context).is_pending() && note.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!(Arc::strong_count(&counted), 4);
    drop((call, note));
    assert_eq!(Arc::strong_count(&counted), 2);
    drop(first);
}

/// A sink whose `close` never returns.
struct NeverCloses(MemorySink);

impl Sink for NeverCloses {
    async fn send(&mut self, messages: &Messages) -> std::io::Result<()> {
        self.0.send(messages).await
    }
    async fn close(&mut self) {
        std::future::pending::<()>().await;
    }
}

#[test]
fn running_handlers_are_dropped_before_the_transport_is_closed() {
    let (mine, timer) = (Mine::default(), ManualTimer::new());
    let ((source, sink), (_source, mut raw_sink)) = memory::pair(1 << 10);
    let builder = builder(&mine).timer(timer.clone()).shutdown_timeout(Duration::from_secs(3));
    let (peer, connection) = builder.over((source, NeverCloses(sink)));
    let mut executor = Executor::new();
    let ended = executor.spawn(connection.run());
    let mut messages = Messages::new();
    messages.push(call(1, "wait").as_bytes());
    tests::task::now(raw_sink.send(&messages)).expect("it fits the buffer");
    executor.run();
    assert_eq!(mine.running.load(Ordering::SeqCst), 1);
    peer.shutdown();
    executor.run();
    timer.advance(Duration::from_secs(3));
    executor.run();
    assert!(ended.take().is_none());
    assert_eq!((mine.running.load(Ordering::SeqCst), peer.close_reason()), (0, Some(CloseReason::ByUs)));
}

#[test]
fn a_cancel_right_behind_its_batch_cancels_its_members() {
    for is_queued in [false, true] {
        let mine = Mine::default();
        let mut raw = raw_peer(builder(&mine).max_running(1));
        if is_queued {
            raw.send(&[&call(1, "until_cancelled")]);
        }
        raw.send(&[&format!("[{},{}]", call(2, "wait"), call(3, "wait")), &cancel(2), &cancel(3), &cancel(1)]);
        let received = raw.received();
        let batch = received.last().expect("a response");
        assert!(batch.starts_with('[') && batch.matches("-32800").count() == 2, "{received:?}");
        assert_eq!(mine.running.load(Ordering::SeqCst), 0);
    }
}
