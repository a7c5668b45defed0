//! Live connections over the in-memory pair, every future run by hand.

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
use tests::task::{Gate, give_way};
use tests::world::{End, World};

#[rpc]
trait Api {
    async fn add(&self, a: i64, b: i64) -> i64;
    /// Ends when the gate is opened.
    async fn wait(&self) -> u8;
    /// Asks the other side as deep as is said.
    async fn nested(&self, depth: u32, #[rpc(context)] context: &Context<'_>) -> Result<u32, ErrorObject>;
    async fn until_cancelled(&self, #[rpc(context)] context: &Context<'_>) -> u8;
    async fn answers_cancel(&self, #[rpc(context)] context: &Context<'_>) -> u8;
    /// Answers a cancel that it sees in a task within its own.
    async fn answers_cancel_inside(&self, #[rpc(context)] context: &Context<'_>) -> u8;
    /// As `until_cancelled`, giving up to wait for it when the gate opens.
    async fn cancelled_or_opened(&self, #[rpc(context)] context: &Context<'_>) -> u8;
    async fn break_down(&self) -> u8;
    #[rpc(notification, exclusive)]
    async fn append(&self, n: u32);
    #[rpc(exclusive)]
    async fn ask_alone(&self, #[rpc(context)] context: &Context<'_>) -> Result<i64, ErrorObject>;
    async fn read(&self) -> Vec<u32>;
    async fn stop(&self, #[rpc(context)] context: &Context<'_>) -> bool;
    async fn fact(&self, #[rpc(context)] context: &Context<'_>) -> Option<u16>;
    /// Keeps its handle to the other side beyond its end.
    async fn keep(&self, #[rpc(context)] context: &Context<'_>) -> bool;
}

#[derive(Clone, Default)]
struct Mine {
    gate: Arc<Gate>,
    list: Arc<Mutex<Vec<u32>>>,
    /// Handlers that have begun and not ended or been dropped.
    alive: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    saw_cancel: Arc<AtomicUsize>,
    kept: Arc<Mutex<Option<Peer>>>,
}

struct Alive(Arc<AtomicUsize>);

impl Mine {
    fn enter(&self) -> Alive {
        let now = self.alive.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        Alive(self.alive.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Api for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn wait(&self) -> u8 {
        let _alive = self.enter();
        self.gate.passed().await;
        7
    }
    async fn nested(&self, depth: u32, context: &Context<'_>) -> Result<u32, ErrorObject> {
        let _alive = self.enter();
        match (depth, context.peer()) {
            (0, _) | (_, None) => Ok(0),
            (_, Some(peer)) => Ok(ApiClient::new(peer).nested(depth - 1).await? + 1),
        }
    }
    async fn until_cancelled(&self, context: &Context<'_>) -> u8 {
        let _alive = self.enter();
        context.cancelled().await;
        self.saw_cancel.fetch_add(1, Ordering::SeqCst);
        give_way().await;
        1
    }
    async fn answers_cancel(&self, context: &Context<'_>) -> u8 {
        context.cancelled().await;
        9
    }
    async fn answers_cancel_inside(&self, context: &Context<'_>) -> u8 {
        inside(async {
            context.cancelled().await;
            8
        })
        .await
    }
    async fn cancelled_or_opened(&self, context: &Context<'_>) -> u8 {
        let (mut cancelled, mut opened) = (Box::pin(inside(context.cancelled())), Box::pin(self.gate.passed()));
        poll_fn(|task| {
            if cancelled.as_mut().poll(task).is_ready() {
                return Poll::Ready(1);
            }
            opened.as_mut().poll(task).map(|()| 2)
        })
        .await
    }
    async fn break_down(&self) -> u8 {
        give_way().await;
        panic!("broken");
    }
    async fn append(&self, n: u32) {
        for _ in 0..n % 4 {
            give_way().await;
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
        *self.kept.lock().expect("not poisoned") = context.peer();
        true
    }
}

/// Runs a future with a waker of its own, as a combinator does: it is polled when that was woken, and never
/// otherwise. Each poll has another waker.
async fn inside<F: Future>(future: F) -> F::Output {
    struct Bell(AtomicBool, Waker);
    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
            self.1.wake_by_ref();
        }
    }
    let (mut future, mut bell) = (Box::pin(future), None::<Arc<Bell>>);
    poll_fn(|task| {
        if bell.as_ref().is_some_and(|bell| !bell.0.load(Ordering::SeqCst)) {
            return Poll::Pending;
        }
        let now = Arc::new(Bell(AtomicBool::new(false), task.waker().clone()));
        bell = Some(now.clone());
        future.as_mut().poll(&mut std::task::Context::from_waker(&now.into()))
    })
    .await
}

fn builder(mine: &Mine) -> Builder<ApiService<Mine>> {
    Connection::builder(Server::new(ApiService::new(mine.clone())))
}

/// Two sides that serve and call each other.
struct Both {
    world: World,
    here: Peer,
    there: Peer,
    here_ended: End<CloseReason>,
    there_ended: End<CloseReason>,
}

fn both(here: Builder<impl Service>, there: Builder<impl Service>) -> Both {
    let (one, other) = memory::pair(1 << 16);
    let ((here, here_runs), (there, there_runs)) = (here.over(one), there.over(other));
    let mut world = World::new();
    let (here_ended, there_ended) = (world.spawn(here_runs.run()), world.spawn(there_runs.run()));
    Both { world, here, there, here_ended, there_ended }
}

/// One side, and the bare other end of its transport.
struct Bare {
    world: World,
    peer: Peer,
    ended: End<CloseReason>,
    inlet: MemorySource,
    outlet: Option<MemorySink>,
}

fn bare(side: Builder<impl Service>) -> Bare {
    let (one, (inlet, outlet)) = memory::pair(1 << 16);
    let (peer, runs) = side.over(one);
    let mut world = World::new();
    let ended = world.spawn(runs.run());
    Bare { world, peer, ended, inlet, outlet: Some(outlet) }
}

impl Bare {
    /// Sends messages as one write, and runs until nothing goes on.
    fn send(&mut self, messages: &[&str]) {
        let mut all = Messages::new();
        for message in messages {
            all.push(message.as_bytes());
        }
        let mut outlet = self.outlet.take().expect("an open end");
        let outlet = self.world.end(async move {
            outlet.send(&all).await.expect("the other side reads");
            outlet
        });
        self.outlet = Some(outlet);
        self.world.run();
    }

    /// What has come by now.
    fn came(&mut self) -> Vec<String> {
        self.world.run();
        let mut came = Vec::new();
        let mut context = std::task::Context::from_waker(Waker::noop());
        loop {
            let mut message = Vec::new();
            let poll = std::pin::pin!(self.inlet.receive(&mut message, usize::MAX)).poll(&mut context);
            if !matches!(poll, Poll::Ready(Ok(true))) {
                return came;
            }
            came.push(String::from_utf8(message).expect("text"));
            self.world.run();
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
    let Both { mut world, here, there, here_ended, there_ended } =
        both(builder(&Mine::default()), builder(&Mine::default()));
    let (mine, theirs) = (ApiClient::new(here.clone()), ApiClient::new(there));
    let sums: Vec<_> = (0..100).map(|n| (n, world.spawn(mine.add(n, 1)), world.spawn(theirs.add(n, 2)))).collect();
    world.run();
    for (n, one, other) in sums {
        assert_eq!(one.take().expect("a reply").expect("a sum"), n + 1);
        assert_eq!(other.take().expect("a reply").expect("a sum"), n + 2);
    }
    here.shutdown();
    world.run();
    assert_eq!(here_ended.take(), Some(CloseReason::ByUs));
    assert_eq!(there_ended.take(), Some(CloseReason::ByPeer));
}

#[test]
fn typed_batches_cross_a_connection_in_both_directions() {
    let Both { mut world, here, there, .. } = both(builder(&Mine::default()), builder(&Mine::default()));
    for peer in [here, there] {
        let api = ApiClient::new(peer);
        let (sum, list, appended) = world.end(api.batch((api.add(1, 2), api.read(), api.append(0)))).expect("a batch");
        assert_eq!((sum.expect("a sum"), list.expect("a list").len()), (3, 0));
        appended.expect("sent");
    }
}

// R22
#[test]
fn a_cancel_right_behind_its_request_always_finds_it() {
    let wait = |id: u32| [call(id, "wait"), cancel(id)];
    for begun in [false, true] {
        let mine = Mine::default();
        let mut bare = bare(builder(&mine));
        let messages: Vec<_> = (0..30).flat_map(wait).collect();
        if begun {
            for message in &messages {
                bare.send(&[message]);
            }
        } else {
            bare.send(&messages.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let came = bare.came();
        let ids: Vec<_> = came.iter().map(|response| code(response)).collect();
        assert_eq!(ids, (0..30).map(|id| (id.into(), -32800)).collect::<Vec<_>>());
        assert_eq!(mine.alive.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn a_method_sees_that_it_is_cancelled_and_may_still_answer() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine));
    bare.send(&[&call(1, "until_cancelled"), &call(2, "answers_cancel")]);
    bare.send(&[&cancel(1), &cancel(2)]);
    let mut came = bare.came();
    came.sort();
    assert_eq!(code(&came[0]), (1.into(), -32800));
    assert_eq!(came[1], result(2, "9"));
    assert_eq!((mine.alive.load(Ordering::SeqCst), mine.saw_cancel.load(Ordering::SeqCst)), (0, 1));
    // What has ended is not answered again.
    bare.send(&[&cancel(1), &cancel(2), &cancel(3)]);
    assert!(bare.came().is_empty());
}

#[test]
fn a_cancel_wakes_who_waits_for_it_inside_the_method() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine));
    bare.send(&[
        &call(1, "answers_cancel_inside"),
        &format!("[{},{}]", call(2, "wait"), call(3, "answers_cancel_inside")),
    ]);
    bare.send(&[&cancel(3), &cancel(1)]);
    assert_eq!(bare.came(), [result(1, "8")]);
    // Twice under one id: each of them sees it.
    bare.send(&[&call(4, "cancelled_or_opened"), &call(4, "cancelled_or_opened")]);
    bare.send(&[&cancel(4)]);
    assert_eq!(bare.came(), [result(4, "1"), result(4, "1")]);
    bare.send(&[&call(6, "cancelled_or_opened")]);
    mine.gate.open();
    let mut came = bare.came();
    came.sort();
    assert_eq!(came, [format!("[{},{}]", result(2, "7"), result(3, "8")), result(6, "2")]);
    // A cancel that comes when nobody waits for it any more; the id is free again.
    bare.send(&[&cancel(6), &call(6, "read")]);
    assert_eq!(bare.came(), [result(6, "[]")]);
}

#[test]
fn a_cancel_in_a_batch_is_a_cancel() {
    let mine = Mine::default();
    let mut bare = bare(Connection::builder(Server::new(ApiService::new(mine.clone())).max_batch_members(4)));
    bare.send(&[&call(1, "wait"), &call(2, "wait"), &call(3, "wait")]);
    // Beside calls, before or behind them, and alone.
    bare.send(&[&format!("[{},{},{}]", cancel(1), call(4, "read"), call(5, "wait"))]);
    let came = bare.came();
    assert_eq!((came.len(), code(&came[0])), (1, (1.into(), -32800)));
    bare.send(&[&format!("[{},{}]", cancel(5), cancel(2))]);
    let mut came = bare.came();
    came.sort();
    let batch: Value = serde_json::from_str(&came[0]).expect("JSON");
    assert_eq!((&batch[0]["id"], &batch[1]["error"]["code"]), (&4.into(), &(-32800).into()));
    assert_eq!((came.len(), code(&came[1])), (2, (2.into(), -32800)));
    // In the batch of its call, which has not begun.
    bare.send(&[&format!("[{},{}]", call(6, "wait"), cancel(6))]);
    assert!(bare.came()[0].starts_with(r#"[{"jsonrpc":"2.0","error":{"code":-32800"#));
    // Beside replies.
    let own = bare.world.spawn(ApiClient::new(bare.peer.clone()).add(1, 2));
    bare.world.run();
    bare.came();
    bare.send(&[&format!("[{},{}]", result(1, "3"), cancel(3))]);
    assert_eq!(own.take().expect("a reply").expect("a sum"), 3);
    assert_eq!(code(&bare.came()[0]), (3.into(), -32800));
    // Of a batch that is too long nothing takes effect.
    bare.send(&[&call(7, "wait"), &format!("[{0},{0},{0},{0},{0}]", cancel(7))]);
    assert_eq!(code(&bare.came()[0]), (Value::Null, -32600));
    assert_eq!(mine.alive.load(Ordering::SeqCst), 1);
}

#[test]
fn a_cancel_is_answered_or_not_as_the_profile_says() {
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
        let mut bare = bare(builder(&mine).profile(profile.clone()));
        bare.send(&[&call("\"x\"", "wait"), &text]);
        assert_eq!(bare.came().len(), responses, "{profile:?}");
        assert_eq!(mine.alive.load(Ordering::SeqCst), usize::from(profile.cancel.is_none()));
    }
}

#[test]
fn a_cancel_ends_every_call_of_its_id_and_no_other() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine).max_running(3));
    // Twice running, once in a batch, twice waiting to begin.
    bare.send(&[
        &call(1, "wait"),
        &call("1.0", "wait"),
        &format!("[{},{}]", call(1, "wait"), call(2, "wait")),
        &call(1, "wait"),
        &call(4, "add"),
    ]);
    assert_eq!(mine.alive.load(Ordering::SeqCst), 4);
    bare.send(&[&cancel(1)]);
    let came = bare.came();
    assert_eq!(mine.alive.load(Ordering::SeqCst), 1, "{came:?}");
    mine.gate.open();
    let came = [came, bare.came()].concat();
    let codes: Vec<_> = came.iter().map(|response| code(response).1).collect();
    assert_eq!(codes.iter().filter(|code| **code == -32800).count(), 3, "{came:?}");
    assert!(came.iter().any(|response| response.starts_with('[')
        && response.contains("-32800")
        && response.contains(r#""result":7,"id":2"#)));
}

// R23
#[test]
fn a_dropped_call_is_cancelled_and_its_late_reply_dropped() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine));
    let api = ApiClient::new(bare.peer.clone());
    let dropped = api.add(1, 2).into_future();
    let other = bare.world.spawn(api.add(3, 4));
    bare.world.run();
    drop(dropped);
    let came = bare.came();
    assert_eq!(came[2], r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#);
    assert_eq!(bare.peer.pending_calls(), 1);
    bare.send(&[&result(1, "3"), &result(2, "7")]);
    assert_eq!(other.take().expect("a reply").expect("a sum"), 7);
    assert_eq!(bare.peer.pending_calls(), 0);
    assert!(bare.came().is_empty());
}

#[test]
fn what_is_answered_or_strict_is_not_cancelled() {
    let mut strict = bare(builder(&Mine::default()).profile(Profile::strict()));
    let future = ApiClient::new(strict.peer.clone()).add(1, 2).into_future();
    drop(future);
    assert_eq!(strict.came().len(), 1);
    let mut native = bare(builder(&Mine::default()));
    let future = ApiClient::new(native.peer.clone()).add(1, 2).into_future();
    native.send(&[&result(1, "3")]);
    drop(future);
    assert_eq!(native.came().len(), 1);
}

// R25
#[test]
fn handlers_that_call_back_end_with_every_slot_taken() {
    for calls in [8, 200] {
        let (mine, yours) = (Mine::default(), Mine::default());
        let Both { mut world, here, .. } = both(builder(&mine).max_running(4), builder(&yours).max_running(4));
        let api = ApiClient::new(here);
        let ends: Vec<_> = (0..calls).map(|_| world.spawn(api.nested(5))).collect();
        world.run();
        for end in ends {
            assert_eq!(end.take().expect("it ends").expect("a depth"), 5);
        }
    }
}

// R28
#[test]
fn exclusive_notifications_take_effect_in_order() {
    let mine = Mine::default();
    let Both { mut world, here, .. } = both(builder(&Mine::default()), builder(&mine).max_queued(2000));
    let api = ApiClient::new(here);
    let slow = world.spawn(api.wait());
    world.run();
    let sent: Vec<_> = (0..1000).map(|n| world.spawn(api.append(n))).collect();
    let read = world.spawn(api.read());
    world.run();
    assert!(sent.iter().all(|sent| sent.take().is_some_and(|sent| sent.is_ok())));
    // The slow call began before them, so they wait for it.
    assert!(read.take().is_none());
    mine.gate.open();
    world.run();
    assert_eq!(slow.take().expect("a reply").expect("a result"), 7);
    assert_eq!(read.take().expect("a reply").expect("a list"), (0..1000).collect::<Vec<_>>());
}

#[test]
fn an_exclusive_handler_that_asks_the_other_side_holds_up_nobody() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine));
    bare.send(&[&call(1, "ask_alone"), r#"{"jsonrpc":"2.0","method":"add","params":[5,6],"id":2}"#]);
    let came = bare.came();
    assert_eq!(came.len(), 2, "{came:?}");
    assert!(came.contains(&result(2, "11")));
    bare.send(&[&result(1, "3")]);
    assert_eq!(bare.came(), [result(1, "3")]);
}

// R29
#[test]
fn calls_that_wait_end_with_the_connection_and_say_why() {
    type Ending = fn(&mut Bare) -> CloseReason;
    let endings: [Ending; 3] = [
        |bare| {
            bare.outlet = None;
            CloseReason::ByPeer
        },
        |bare| {
            bare.peer.shutdown();
            CloseReason::ByUs
        },
        |bare| {
            bare.world = World::new();
            CloseReason::Dropped
        },
    ];
    for ending in endings {
        let mut bare = bare(builder(&Mine::default()));
        let api = ApiClient::new(bare.peer.clone());
        let calls: Vec<_> = (0..16).map(|_| api.wait().into_future()).collect();
        let batch = api.batch((api.wait(), api.wait())).into_future();
        bare.world.run();
        let reason = ending(&mut bare);
        bare.world.run();
        for call in calls {
            let end = tests::task::now(call);
            assert!(matches!(&end, Err(ClientError::Closed(why)) if *why == reason), "{end:?}");
        }
        assert!(matches!(tests::task::now(batch), Err(ClientError::Closed(why)) if why == reason));
        let late = tests::task::now(api.add(1, 2));
        assert!(matches!(late, Err(ClientError::Closed(why)) if why == reason));
        assert!(matches!(tests::task::now(api.append(1)), Err(ClientError::Closed(_))));
        assert_eq!(bare.peer.close_reason(), Some(reason));
        assert_eq!(bare.peer.pending_calls(), 0);
    }
}

// R24
#[test]
fn handlers_are_dropped_when_the_transport_fails() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine));
    bare.send(&[&call(1, "wait"), &call(2, "wait")]);
    assert_eq!(mine.alive.load(Ordering::SeqCst), 2);
    let Bare { mut world, peer, ended, inlet, outlet } = bare;
    drop(inlet);
    // Nothing fails before something is written.
    let sent = world.spawn(ApiClient::new(peer).append(1));
    world.run();
    assert!(sent.take().is_some());
    assert!(matches!(ended.take(), Some(CloseReason::Failed { kind: std::io::ErrorKind::BrokenPipe, .. })));
    assert_eq!(mine.alive.load(Ordering::SeqCst), 0);
    drop(outlet);
}

#[test]
fn messages_that_run_or_wait_are_limited_together_by_their_bytes() {
    let message = call(1, "wait");
    for (limit, taken) in [(1, 1), (message.len(), 1), (message.len() + 1, 2), (3 * message.len(), 3)] {
        for running in [1, 100] {
            let mine = Mine::default();
            let mut bare = bare(builder(&mine).max_running(running).max_queued_bytes(limit));
            bare.send(&[&*message; 4]);
            let refused = bare.came();
            assert_eq!(refused.len(), 4 - taken, "{limit} {running}: {refused:?}");
            assert!(refused.iter().all(|response| code(response) == (1.into(), -32000)), "{refused:?}");
            mine.gate.open();
            assert_eq!(bare.came(), vec![result(1, "7"); taken]);
            // What has ended leaves room.
            bare.send(&[&*message]);
            assert_eq!(bare.came(), [result(1, "7")]);
        }
    }
}

/// Messages, and then something that cannot be told apart.
struct Garbled(Vec<String>);

impl Source for Garbled {
    async fn receive(&mut self, message: &mut Vec<u8>, _: usize) -> std::io::Result<bool> {
        match self.0.pop() {
            Some(next) => message.extend_from_slice(next.as_bytes()),
            None => return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "garbled")),
        }
        Ok(true)
    }
}

#[test]
fn what_came_before_input_that_cannot_be_told_apart_is_answered() {
    let mine = Mine::default();
    let ((_, outlet), (mut inlet, _)) = memory::pair(1 << 16);
    let (peer, runs) = builder(&mine).over((Garbled(vec![call(2, "read"), call(1, "wait")]), outlet));
    let mut world = World::new();
    let ended = world.spawn(runs.run());
    world.run();
    // No reply can come any more.
    let own = world.spawn(ApiClient::new(peer).add(1, 2));
    world.run();
    assert!(matches!(own.take(), Some(Err(ClientError::Closed(CloseReason::Failed { .. })))));
    assert!(ended.take().is_none());
    mine.gate.open();
    let responses = world.spawn(async move {
        let mut responses = vec![];
        loop {
            let mut response = vec![];
            match inlet.receive(&mut response, 1 << 16).await {
                Ok(true) => responses.push(String::from_utf8(response).expect("UTF-8")),
                _ => return responses,
            }
        }
    });
    world.run();
    assert_eq!(responses.take().expect("it ends"), [result(2, "[]"), result(1, "7")]);
    let end = ended.take();
    assert!(matches!(&end, Some(CloseReason::Failed { message, .. }) if message == "garbled"), "{end:?}");
}

#[test]
fn a_batch_with_too_many_members_is_refused_as_one_message_when_there_is_no_room() {
    let mine = Mine::default();
    let server = Server::new(ApiService::new(mine.clone())).max_batch_members(3);
    for is_shutting_down in [false, true] {
        let mut bare = bare(Connection::builder(server.clone()).max_running(1).max_queued(1));
        bare.send(&[&call(1, "wait"), &call(2, "wait")]);
        if is_shutting_down {
            bare.peer.shutdown();
        }
        bare.send(&["[1,1,1]", "[1,1,1,1]", &format!("[{0},{0},{0},{0}]", call(3, "read"))]);
        let came = bare.came();
        let lengths: Vec<_> = came.iter().map(|response| response.matches("\"code\"").count()).collect();
        assert_eq!(lengths, [3, 1, 1], "{came:?}");
    }
}

#[test]
fn who_does_not_read_is_idle_too() {
    let timer = ManualTimer::new();
    let mine = Mine::default();
    let ((source, sink), (_inlet, mut outlet)) = memory::pair(16);
    let (_peer, runs) = builder(&mine).timer(timer.clone()).idle_timeout(Duration::from_secs(1)).over((source, sink));
    let mut world = World::new();
    let ended = world.spawn(runs.run());
    let mut messages = Messages::new();
    for id in 1..10 {
        messages.push(call(id, "read").as_bytes());
    }
    let sent = world.spawn(async move { outlet.send(&messages).await.map(|()| outlet) });
    world.run();
    let _outlet = sent.take().expect("it is taken").expect("it is read");
    for _ in 0..2 {
        assert!(ended.take().is_none());
        timer.advance(Duration::from_secs(1));
        world.run();
    }
    assert_eq!(ended.take(), Some(CloseReason::Idle));
}

#[test]
fn a_timer_that_is_always_ready_starves_nobody() {
    struct Ready;
    impl Timer for Ready {
        fn sleep(&self, _: Duration) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
            Box::pin(async {})
        }
    }
    let mine = Mine::default();
    // A call runs, so nobody is idle; each turn ends.
    let ((source, sink), (mut inlet, mut outlet)) = memory::pair(1 << 10);
    let (_peer, runs) = builder(&mine).timer(Ready).idle_timeout(Duration::from_nanos(1)).over((source, sink));
    let mut runs = Box::pin(runs.run());
    let mut turn = || runs.as_mut().poll(&mut std::task::Context::from_waker(Waker::noop())).is_pending();
    let mut messages = Messages::new();
    messages.push(call(1, "wait").as_bytes());
    messages.push(call(2, "read").as_bytes());
    rpc_core::block_on(outlet.send(&messages)).expect("there is room");
    assert!(turn() && turn());
    let mut response = vec![];
    assert!(rpc_core::block_on(inlet.receive(&mut response, 1 << 10)).expect("an answer"));
    assert_eq!(String::from_utf8_lossy(&response), result(2, "[]"));
}

#[test]
fn who_asks_a_stopped_side_and_does_not_read_is_cut_off() {
    let mine = Mine::default();
    let ((source, sink), (_inlet, mut outlet)) = memory::pair(1 << 10);
    let (peer, runs) = builder(&mine).max_unsent_bytes(1 << 12).over((source, sink));
    let mut world = World::new();
    let ended = world.spawn(runs.run());
    let mut messages = Messages::new();
    messages.push(call(1, "wait").as_bytes());
    let first = messages.clone();
    let sent = world.spawn(async move { outlet.send(&first).await.map(|()| outlet) });
    world.run();
    let mut outlet = sent.take().expect("it is taken").expect("it is read");
    peer.shutdown();
    let sent = world.spawn(async move { while outlet.send(&messages).await.is_ok() {} });
    world.run();
    assert_eq!(ended.take(), Some(CloseReason::NotRead));
    assert!(sent.take().is_some());
}

#[test]
fn the_end_of_input_is_no_cancel() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine).max_running(1));
    bare.send(&[&call(1, "wait"), &call(2, "wait"), &call(3, "wait")]);
    bare.outlet = None;
    bare.world.run();
    assert!(bare.ended.take().is_none());
    mine.gate.open();
    assert_eq!(bare.came(), [result(1, "7"), result(2, "7"), result(3, "7")]);
    assert_eq!(bare.ended.take(), Some(CloseReason::ByPeer));
}

// R30
#[test]
fn a_side_that_is_told_to_stop_ends_without_another_byte() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine));
    bare.send(&[&call(1, "wait"), &call(2, "stop")]);
    assert_eq!(bare.came(), [result(2, "true")]);
    assert!(bare.ended.take().is_none(), "what runs is answered first");
    bare.send(&[&call(3, "add")]);
    assert_eq!(code(&bare.came()[0]), (3.into(), -32000));
    mine.gate.open();
    assert_eq!(bare.came(), [result(1, "7")]);
    assert_eq!(bare.ended.take(), Some(CloseReason::ByUs));
    // A side that has nothing to do ends at once.
    let mut idle = self::bare(builder(&mine));
    idle.world.run();
    idle.peer.shutdown();
    idle.world.run();
    assert_eq!(idle.ended.take(), Some(CloseReason::ByUs));
}

#[test]
fn what_runs_on_beyond_its_grace_is_dropped() {
    let (mine, timer) = (Mine::default(), ManualTimer::new());
    let mut bare = bare(builder(&mine).timer(timer.clone()).shutdown_timeout(Duration::from_secs(3)));
    bare.send(&[&call(1, "wait")]);
    bare.peer.shutdown();
    bare.world.run();
    timer.advance(Duration::from_secs(2));
    bare.world.run();
    assert!(bare.ended.take().is_none());
    timer.advance(Duration::from_secs(1));
    bare.world.run();
    assert_eq!(bare.ended.take(), Some(CloseReason::ByUs));
    assert_eq!(mine.alive.load(Ordering::SeqCst), 0);
}

// R19
#[test]
fn a_panic_costs_its_own_call_only() {
    let Both { mut world, here, there, .. } = both(builder(&Mine::default()), builder(&Mine::default()));
    for peer in [here, there] {
        let api = ApiClient::new(peer);
        let (broken, fine) = (world.spawn(api.break_down()), world.spawn(api.add(1, 2)));
        world.run();
        assert!(matches!(broken.take().expect("a reply"), Err(ClientError::Rpc(error)) if error.code == -32603));
        assert_eq!(fine.take().expect("a reply").expect("a sum"), 3);
        assert_eq!(world.end(api.add(2, 3)).expect("a sum"), 5);
    }
}

#[test]
fn garbage_is_answered_and_the_connection_lives() {
    let mut bare = bare(builder(&Mine::default()));
    bare.send(&["not json", "[]", "7", r#"{"jsonrpc":"2.0","result":1,"id":99}"#, &call(1, "nope")]);
    let codes: Vec<_> = bare.came().iter().map(|response| code(response).1).collect();
    assert_eq!(codes, [-32700, -32600, -32600, -32601]);
}

// R57
#[test]
fn an_error_that_names_no_call_ends_the_only_one() {
    let nameless = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    let mut bare = bare(builder(&Mine::default()));
    let api = ApiClient::new(bare.peer.clone());
    let (one, other) = (bare.world.spawn(api.wait()), bare.world.spawn(api.wait()));
    bare.world.run();
    bare.send(&[nameless, r#"{"jsonrpc":"2.0","result":1,"id":99999}"#]);
    assert!(one.take().is_none() && other.take().is_none());
    bare.send(&[&result(1, "1"), nameless]);
    assert_eq!(one.take().expect("a reply").expect("a result"), 1);
    assert!(matches!(other.take().expect("a reply"), Err(ClientError::Rpc(error)) if error.code == -32700));
}

// R16
#[test]
fn a_batch_that_is_refused_as_a_whole_ends_at_once() {
    let refused = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}"#;
    let mut bare = bare(builder(&Mine::default()));
    let api = ApiClient::new(bare.peer.clone());
    let batch = bare.world.spawn(api.batch([api.wait(), api.wait(), api.wait()]));
    bare.world.run();
    bare.send(&[refused]);
    assert!(matches!(batch.take().expect("it ends"), Err(ClientError::Rpc(error)) if error.code == -32600));
    // R15: by id, in any order; what is left out fails alone.
    let batch = bare.world.spawn(api.batch([api.wait(), api.wait(), api.wait()]));
    bare.world.run();
    bare.send(&[&format!("[{},{},{}]", result(6, "6"), result("1e999", "0"), result(4, "4"))]);
    let [four, five, six] = batch.take().expect("it ends").expect("a batch");
    assert_eq!((four.expect("a result"), six.expect("a result")), (4, 6));
    assert!(matches!(five, Err(ClientError::Protocol(_))));
}

#[test]
fn an_array_of_requests_and_replies_is_taken_apart() {
    let mut bare = bare(builder(&Mine::default()));
    let api = ApiClient::new(bare.peer.clone());
    let sum = bare.world.spawn(api.add(1, 2));
    bare.came();
    bare.send(&[&format!("[{},{},3]", result(1, "3"), call(1, "read"))]);
    assert_eq!(sum.take().expect("a reply").expect("a sum"), 3);
    let came = bare.came();
    assert!(came[0].starts_with(r#"[{"jsonrpc":"2.0","result":[],"id":1},"#), "{came:?}");
    assert_eq!(came.len(), 1);
}

// R34
#[test]
fn a_batch_that_is_too_long_runs_nothing() {
    let mine = Mine::default();
    let server = Server::new(ApiService::new(mine.clone())).max_batch_members(2);
    let mut bare = bare(Connection::builder(server));
    bare.send(&[&format!("[{0},{0},{0}]", call(1, "wait")), &format!("[{0},{0}]", call(1, "read"))]);
    let came = bare.came();
    assert_eq!(code(&came[0]), (Value::Null, -32600));
    assert_eq!(came.len(), 2);
    assert_eq!(mine.most.load(Ordering::SeqCst), 0);
}

#[test]
fn what_may_not_wait_is_refused_or_ends_the_connection() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine).max_running(1).max_queued(2));
    bare.send(&[&call(1, "wait")]);
    bare.send(&[&call(2, "wait"), &call(3, "wait"), &call(4, "wait"), &format!("[{}]", call(5, "wait"))]);
    let came = bare.came();
    assert_eq!(code(&came[0]), (4.into(), -32000));
    assert!(came[1].starts_with('[') && came[1].contains(r#""id":5"#), "{came:?}");
    // BatchResponses are read on.
    let sum = bare.world.spawn(ApiClient::new(bare.peer.clone()).add(1, 2));
    bare.world.run();
    bare.send(&[&result(1, "3")]);
    assert_eq!(sum.take().expect("a reply").expect("a sum"), 3);
    bare.send(&[r#"{"jsonrpc":"2.0","method":"append","params":[1]}"#]);
    assert_eq!(bare.ended.take(), Some(CloseReason::Flooded));
    assert_eq!(mine.alive.load(Ordering::SeqCst), 0);
}

#[test]
fn a_side_that_asks_and_does_not_read_costs_bounded_memory() {
    let (one, (inlet, mut outlet)) = memory::pair(1 << 10);
    let (peer, runs) = builder(&Mine::default()).max_unsent_bytes(1 << 12).max_queued(16).over(one);
    let mut world = World::new();
    let ended = world.spawn(runs.run());
    let sent = world.spawn(async move {
        let mut messages = Messages::new();
        messages.push(call(1, "read").as_bytes());
        let mut count = 0;
        while outlet.send(&messages).await.is_ok() {
            count += 1;
        }
        count
    });
    let mut own: Vec<_> = (0..1000).map(|_| world.spawn(ApiClient::new(peer.clone()).append(1))).collect();
    world.run();
    assert_eq!(ended.take(), Some(CloseReason::NotRead));
    assert!(sent.take().expect("it failed in the end") < 1000);
    // What waited for room was told.
    assert!(own.drain(..).all(|end| end.take().is_some()));
    drop(inlet);
}

#[test]
fn a_profile_without_null_ids_or_batches_refuses_them() {
    let mut bare = bare(builder(&Mine::default()).profile(Profile::mcp()));
    bare.send(&[&call("null", "read"), &format!("[{}]", call(1, "read")), &call("\"a\"", "read")]);
    let came = bare.came();
    assert_eq!(code(&came[0]), (Value::Null, -32600));
    assert_eq!(code(&came[1]), (Value::Null, -32600));
    assert_eq!(came[2], result("\"a\"", "[]"));
    let api = ApiClient::new(bare.peer.clone());
    assert!(matches!(bare.world.end(api.batch((api.read(),))), Err(ClientError::Unsupported(_))));
}

#[test]
fn own_ids_meet_no_others() {
    let mut bare = bare(builder(&Mine::default()));
    let api = ApiClient::new(bare.peer.clone());
    let own = bare.world.spawn(api.wait().id("mine"));
    let numbered = bare.world.spawn(api.wait().id(1));
    let plain = bare.world.spawn(api.wait());
    bare.world.run();
    assert!(matches!(bare.world.end(api.wait().id("mine")), Err(ClientError::NotSent(_))));
    let came = bare.came();
    assert_eq!(came, [call("\"mine\"", "wait"), call(1, "wait"), call(2, "wait")]);
    bare.send(&[&result("\"\\u006dine\"", "1"), &result(2, "3"), &result(1, "2")]);
    let ends = [own, numbered, plain].map(|end| end.take().expect("a reply").expect("a result"));
    assert_eq!(ends, [1, 2, 3]);
    assert_eq!(bare.peer.pending_calls(), 0);
}

#[test]
fn methods_see_the_facts_of_their_connection() {
    let mine = Mine::default();
    let Both { mut world, here, there, .. } = both(builder(&mine).extension(7_u16), builder(&mine));
    assert_eq!(world.end(ApiClient::new(there).fact()).expect("a result"), Some(7));
    assert_eq!(world.end(ApiClient::new(here).fact()).expect("a result"), None);
    let server = Server::new(ApiService::new(mine));
    assert_eq!(world.end(ApiClient::new(server.caller()).fact()).expect("a result"), None);
}

// R08
#[test]
fn no_reply_is_faster_than_the_bookkeeping() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    runtime.block_on(async {
        let (one, other) = memory::pair(1 << 16);
        let (peer, here) = builder(&Mine::default()).over(one);
        let (_, there) = builder(&Mine::default()).over(other);
        tokio::spawn(here.run());
        tokio::spawn(there.run());
        let tasks: Vec<_> = (0..8)
            .map(|task| {
                let api = ApiClient::new(peer.clone());
                tokio::spawn(async move {
                    for n in 0..12_500 {
                        assert_eq!(api.add(n, task).await.expect("a reply"), n + task);
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
fn a_raw_call_over_a_connection_is_text() {
    let Both { mut world, here, .. } = both(Connection::builder(Server::new(())), builder(&Mine::default()));
    let response = here.call(Outgoing::new("add", &[1, 2]).expect("plain data"));
    assert_eq!(world.end(response).expect("a reply"), result(1, "3"));
    let missing = Call::<_, u8>::new(&here, "nope", &()).into_future();
    assert!(matches!(world.end(missing), Err(ClientError::Rpc(error)) if error.code == -32601));
}

#[test]
fn own_ids_are_answered_in_batches_and_by_nameless_errors() {
    let Both { mut world, here, .. } = both(builder(&Mine::default()), builder(&Mine::default()));
    let api = ApiClient::new(here.clone());
    let (one, two, three) =
        world.end(api.batch((api.add(1, 2).id("x"), api.add(3, 4), api.add(5, 6).id(70)))).expect("a batch");
    assert_eq!([one, two, three].map(|sum| sum.expect("a sum")), [3, 7, 11]);
    assert_eq!(here.pending_calls(), 0);

    let nameless = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    let mut bare = bare(builder(&Mine::default()));
    let api = ApiClient::new(bare.peer.clone());
    let own = bare.world.spawn(api.wait().id("x"));
    bare.world.run();
    bare.send(&[nameless]);
    assert!(matches!(own.take().expect("it ends"), Err(ClientError::Rpc(error)) if error.code == -32700));
    let batch = bare.world.spawn(api.batch((api.wait().id("x"), api.wait().id("y"))));
    bare.world.run();
    bare.send(&[nameless]);
    assert!(matches!(batch.take().expect("it ends"), Err(ClientError::Rpc(error)) if error.code == -32700));
    // What is left out of the answer to its batch fails, too; and no number stands for an id of its own.
    let batch = bare.world.spawn(api.batch((api.wait().id("x"), api.wait().id("y"))));
    bare.world.run();
    bare.send(&[&result(1, "1"), &result(u64::MAX - 1, "1"), &format!("[{}]", result("\"y\"", "2"))]);
    let (x, y) = batch.take().expect("it ends").expect("a batch");
    assert!(matches!(x, Err(ClientError::Protocol(_))));
    assert_eq!(y.expect("a result"), 2);
    assert_eq!(bare.peer.pending_calls(), 0);
}

#[test]
fn a_connection_that_never_ran_ends_its_calls() {
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
fn a_connection_ends_for_one_reason() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine));
    bare.send(&[&call(1, "wait")]);
    bare.outlet = None;
    bare.world.run();
    // The answer cannot be written any more.
    drop(bare.inlet);
    mine.gate.open();
    bare.world.run();
    assert_eq!(bare.ended.take(), Some(CloseReason::ByPeer));
    assert_eq!(bare.peer.close_reason(), Some(CloseReason::ByPeer));
}

#[test]
fn a_batch_holds_its_place_while_any_of_its_members_runs() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine).max_running(1));
    let nested = r#"{"jsonrpc":"2.0","method":"nested","params":[1],"id":2}"#;
    bare.send(&[&format!("[{},{nested}]", call(1, "wait")), &call(3, "read")]);
    let came = bare.came();
    assert!(came.len() == 1 && came[0].contains("nested"), "{came:?}");
    // Nor does it when a member has ended.
    bare.send(&[&result(1, "0")]);
    assert!(bare.came().is_empty());
    mine.gate.open();
    assert_eq!(bare.came().len(), 2);
    // When all of them wait, it does not.
    bare.send(&[&format!("[{nested},{nested}]"), &call(3, "read")]);
    let came = bare.came();
    assert_eq!((came.len(), &came[2]), (3, &result(3, "[]")));
}

#[test]
fn a_handle_that_outlives_its_method_gives_up_no_place() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine).max_running(1));
    bare.send(&[&call(1, "keep")]);
    let kept = mine.kept.lock().expect("not poisoned").take().expect("a handle");
    let sum = bare.world.spawn(ApiClient::new(kept).add(1, 2));
    bare.send(&[&call(2, "wait"), &call(3, "wait")]);
    assert_eq!(mine.alive.load(Ordering::SeqCst), 1);
    bare.send(&[&result(1, "3")]);
    assert_eq!(sum.take().expect("a reply").expect("a sum"), 3);
    mine.gate.open();
    assert_eq!(bare.came().len(), 4);
}

#[test]
fn what_is_neither_a_request_nor_a_reply_is_answered() {
    let mut bare = bare(builder(&Mine::default()));
    let api = ApiClient::new(bare.peer.clone());
    let empty = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#);
    bare.send(&[&empty("\"x\""), &format!("[{},{}]", empty("8"), empty("9"))]);
    let came = bare.came();
    assert_eq!(code(&came[0]), ("x".into(), -32600));
    assert!(came[1].starts_with('[') && came[1].contains(r#""id":8"#) && came[1].contains(r#""id":9"#), "{came:?}");
    // Under the id of an open call it is that call's end.
    let waits = bare.world.spawn(api.wait());
    bare.came();
    bare.send(&[&format!("[{},{},{}]", empty("1"), empty("2"), call(3, "read"))]);
    assert!(matches!(waits.take().expect("it ends"), Err(ClientError::Protocol(_))));
    let came = bare.came();
    assert!(came.iter().any(|response| response.contains("-32600") && response.contains(r#""id":2"#)), "{came:?}");
    assert!(came.iter().any(|response| response.contains(&result(3, "[]"))), "{came:?}");
}

#[test]
fn what_is_no_message_is_answered_as_ever_when_nothing_may_wait() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine).max_running(1).max_queued(1));
    bare.send(&[&call(1, "wait")]);
    bare.send(&[&call(2, "wait")]);
    bare.send(&["{", r#"{"jsonrpc":"2.0","method":7,"id":3}"#, &format!("[1,{}]", call(4, "wait")), "[1]"]);
    let came = bare.came();
    assert_eq!([code(&came[0]), code(&came[1])], [(Value::Null, -32700), (3.into(), -32600)]);
    assert!(came[2].contains("-32600") && came[2].contains(r#""id":4"#), "{came:?}");
    assert!(came[3].starts_with('[') && came[3].contains("-32600"), "{came:?}");
    assert!(bare.ended.take().is_none());
}

#[test]
fn what_may_begin_at_once_does_not_wait() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine).max_queued(1));
    let append = r#"{"jsonrpc":"2.0","method":"append","params":[0]}"#;
    let (calls, notes): (Vec<_>, Vec<_>) = (0..50).map(|id| (call(id, "fact"), append)).unzip();
    bare.send(&calls.iter().map(String::as_str).collect::<Vec<_>>());
    bare.send(&notes);
    let came = bare.came();
    assert_eq!(came, (0..50).map(|id| result(id, "null")).collect::<Vec<_>>());
    assert_eq!(mine.list.lock().expect("not poisoned").len(), 50);
    assert!(bare.ended.take().is_none());
}

#[test]
fn who_reads_is_not_said_not_to() {
    let mine = Mine::default();
    let mut bare = bare(builder(&mine).max_running(1).max_queued(1).max_unsent_bytes(0));
    bare.send(&[&call(0, "wait")]);
    let calls: Vec<_> = (1..50).map(|id| call(id, "wait")).collect();
    bare.send(&calls.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(bare.came().len(), 48);
    assert!(bare.ended.take().is_none());
}

/// A waker that counts how many are kept of it, and uses its connection when the last is dropped.
struct Nosy(Peer);

impl Wake for Nosy {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Nosy {
    fn drop(&mut self) {
        let _ = self.0.pending_calls();
    }
}

#[test]
fn a_waker_may_use_the_connection_when_it_is_dropped() {
    let (done, wait) = std::sync::mpsc::channel();
    // A deadlock would show as a thread that does not end.
    std::thread::spawn(move || {
        let bare = bare(builder(&Mine::default()).max_unsent_bytes(0));
        let api = ApiClient::new(bare.peer.clone());
        let nosy = || Waker::from(Arc::new(Nosy(bare.peer.clone())));
        let mut sent = Box::pin(api.wait().into_future());
        let mut unsent = Box::pin(api.wait().into_future());
        let mut told = Box::pin(api.append(1).into_future());
        for _ in 0..2 {
            // Each has a waker of its own, of which the connection holds the last.
            assert!(sent.as_mut().poll(&mut std::task::Context::from_waker(&nosy())).is_pending());
            assert!(unsent.as_mut().poll(&mut std::task::Context::from_waker(&nosy())).is_pending());
            assert!(told.as_mut().poll(&mut std::task::Context::from_waker(&nosy())).is_pending());
        }
        drop((sent, unsent, told));
        let (one, _other) = memory::pair(0);
        let (peer, connection) = builder(&Mine::default()).over(one);
        let mut run = Box::pin(connection.run());
        for _ in 0..2 {
            let waker = Waker::from(Arc::new(Nosy(peer.clone())));
            assert!(run.as_mut().poll(&mut std::task::Context::from_waker(&waker)).is_pending());
        }
        done.send(()).expect("somebody waits");
    });
    wait.recv_timeout(Duration::from_secs(20)).expect("no deadlock");
}

#[test]
fn what_waits_for_room_is_overtaken_by_nothing() {
    let mut bare = bare(builder(&Mine::default()).max_unsent_bytes(0));
    let api = ApiClient::new(bare.peer.clone());
    // The first has room; each is handed over when its future is made, polled or not.
    let first = api.wait().into_future();
    let second = api.wait().into_future();
    let third = api.append(3).into_future();
    let batch = api.batch((api.wait(), api.append(4))).into_future();
    let (dropped, untold) = (api.read().into_future(), api.append(5).into_future());
    let last = api.wait().id("last").into_future();
    drop((dropped, untold, api.batch((api.read(),)).into_future()));
    // Polled the other way round.
    let last = bare.world.spawn(last);
    let batch = bare.world.spawn(batch);
    let third = bare.world.spawn(third);
    let ends = [bare.world.spawn(second), bare.world.spawn(first)];
    let came = bare.came();
    let append = |n: u8| format!(r#"{{"jsonrpc":"2.0","method":"append","params":{{"n":{n}}}}}"#);
    let batched = format!("[{},{}]", call(3, "wait"), append(4));
    assert_eq!(came, [call(1, "wait"), call(2, "wait"), append(3), batched, call("\"last\"", "wait")]);
    third.take().expect("sent").expect("sent");
    // Calls that were taken back were never asked, so there is nothing to be cancelled.
    assert!(bare.came().is_empty());
    assert_eq!(bare.peer.pending_calls(), 4);
    bare.send(&[&result(1, "1"), &result(2, "2"), &format!("[{}]", result(3, "3")), &result("\"last\"", "4")]);
    assert_eq!(ends.map(|end| end.take().expect("a reply").expect("a result")), [2, 1]);
    let (batched, _) = batch.take().expect("replies").expect("replies");
    assert_eq!((batched.expect("a result"), last.take().expect("a reply").expect("a result")), (3, 4));
}

#[test]
fn what_waits_for_room_ends_with_the_connection() {
    let bare = bare(builder(&Mine::default()).max_unsent_bytes(0));
    let Bare { mut world, peer, ended, inlet, outlet } = bare;
    let api = ApiClient::new(peer);
    let sent = api.append(1).into_future();
    let (call, told) = (world.spawn(api.wait()), world.spawn(api.append(2)));
    drop((inlet, outlet));
    world.run();
    assert!(ended.take().is_some());
    assert!(matches!(call.take(), Some(Err(ClientError::Closed(_)))));
    assert!(matches!(told.take(), Some(Err(ClientError::Closed(_)))));
    tests::task::now(sent).expect("it was handed over while there was room");
}

#[test]
fn who_waits_for_room_is_noted_once() {
    let bare = bare(builder(&Mine::default()).max_unsent_bytes(0).call_timeout(None));
    let api = ApiClient::new(bare.peer.clone());
    let first = api.wait().into_future();
    let nosy = Arc::new(Nosy(bare.peer.clone()));
    let waker = Waker::from(nosy.clone());
    let mut context = std::task::Context::from_waker(&waker);
    let (mut call, mut told) = (Box::pin(api.wait().into_future()), Box::pin(api.append(1).into_future()));
    for _ in 0..100 {
        assert!(call.as_mut().poll(&mut context).is_pending() && told.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!(Arc::strong_count(&nosy), 4);
    drop((call, told));
    assert_eq!(Arc::strong_count(&nosy), 2);
    drop(first);
}

/// A sink that is never done with closing.
struct Lingers(MemorySink);

impl Sink for Lingers {
    async fn send(&mut self, messages: &Messages) -> std::io::Result<()> {
        self.0.send(messages).await
    }
    async fn close(&mut self) {
        std::future::pending::<()>().await;
    }
}

#[test]
fn what_runs_on_is_dropped_before_the_transport_is_closed() {
    let (mine, timer) = (Mine::default(), ManualTimer::new());
    let ((inlet, outlet), (_inlet, mut back)) = memory::pair(1 << 10);
    let side = builder(&mine).timer(timer.clone()).shutdown_timeout(Duration::from_secs(3));
    let (peer, runs) = side.over((inlet, Lingers(outlet)));
    let mut world = World::new();
    let ended = world.spawn(runs.run());
    let mut messages = Messages::new();
    messages.push(call(1, "wait").as_bytes());
    tests::task::now(back.send(&messages)).expect("it is read");
    world.run();
    assert_eq!(mine.alive.load(Ordering::SeqCst), 1);
    peer.shutdown();
    world.run();
    timer.advance(Duration::from_secs(3));
    world.run();
    assert!(ended.take().is_none());
    assert_eq!((mine.alive.load(Ordering::SeqCst), peer.close_reason()), (0, Some(CloseReason::ByUs)));
}

#[test]
fn a_cancel_right_behind_its_batch_finds_it() {
    for is_held_up in [false, true] {
        let mine = Mine::default();
        let mut bare = bare(builder(&mine).max_running(1));
        if is_held_up {
            bare.send(&[&call(1, "until_cancelled")]);
        }
        bare.send(&[&format!("[{},{}]", call(2, "wait"), call(3, "wait")), &cancel(2), &cancel(3), &cancel(1)]);
        let came = bare.came();
        let batch = came.last().expect("an answer");
        assert!(batch.starts_with('[') && batch.matches("-32800").count() == 2, "{came:?}");
        assert_eq!(mine.alive.load(Ordering::SeqCst), 0);
    }
}
