//! Calls through a peer: timeouts of every handle, `?` across both errors, `send`, and clients as fields.

use rpc_core::client::{AnyCaller, Caller};
use rpc_core::connection::{Builder, Connection, Peer};
use rpc_core::mock::Mock;
use rpc_core::server::Service;
use rpc_core::time::ManualTimer;
use rpc_core::transport::memory;
use rpc_core::{CallError, ClientError, Context, ErrorObject, Server, rpc};
use serde::Deserialize;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;

#[rpc]
trait Kv {
    async fn size(&self) -> u64;
    async fn get(&self, key: &str) -> Result<u64, ErrorObject>;
    #[rpc(notification)]
    async fn touch(&self, key: String);
    /// Never responds.
    async fn hang(&self) -> u64;
    /// Never responds.
    #[rpc(timeout = "5s")]
    async fn hang_for_5_s(&self) -> u64;
    /// Calls `hang` of the caller, and returns how that call fails.
    async fn call_back(&self, #[rpc(context)] context: &Context<'_>) -> String;
}

#[derive(Clone, Default)]
struct MyKv(Arc<Mutex<Vec<String>>>);

impl Kv for MyKv {
    async fn size(&self) -> u64 {
        2
    }
    async fn get(&self, key: &str) -> Result<u64, ErrorObject> {
        self.0.lock().expect("not poisoned").push(format!("get {key}"));
        key.parse().map_err(|_| ErrorObject::new(7, "not a number"))
    }
    async fn touch(&self, key: String) {
        self.0.lock().expect("not poisoned").push(format!("touch {key}"));
    }
    async fn hang(&self) -> u64 {
        std::future::pending().await
    }
    async fn hang_for_5_s(&self) -> u64 {
        std::future::pending().await
    }
    async fn call_back(&self, context: &Context<'_>) -> String {
        let peer = context.peer().expect("a connection");
        format!("{:?}", KvClient::new(peer).hang().await)
    }
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(test);
}

/// Connects two sides that both serve. Each has a timer of its own.
fn connect<A: Service, B: Service>(here: Builder<A>, there: Builder<B>) -> (Peer, Peer) {
    let (left, right) = memory::pair(1 << 16);
    let (peer, calling) = here.over(left);
    let (remote, serving) = there.over(right);
    tokio::spawn(calling.run());
    tokio::spawn(serving.run());
    (peer, remote)
}

fn kv() -> Builder<KvService<MyKv>> {
    Connection::builder(Server::new(KvService::new(MyKv::default())))
}

/// Checks that a call fails with a timeout when exactly this time has passed, and that no other call does.
async fn times_out<T>(
    call: impl Future<Output = Result<T, ClientError>> + Send + 'static,
    timer: &ManualTimer,
    after: Duration,
) where
    T: Send + std::fmt::Debug + 'static,
{
    let call = tokio::spawn(call);
    while timer.pending_count() == 0 {
        tokio::task::yield_now().await;
    }
    timer.advance(after.saturating_sub(Duration::from_millis(1)));
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    assert!(!call.is_finished(), "before {after:?}");
    timer.advance(Duration::from_millis(1));
    assert!(matches!(call.await.expect("no panic"), Err(ClientError::Timeout)), "after {after:?}");
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn every_handle_of_a_peer_enforces_the_timeouts_of_its_calls() {
    run(async {
        let timer = ManualTimer::new();
        let (peer, _remote) = connect(Connection::client().timer(timer.clone()), kv());
        for peer in [peer.clone(), peer] {
            let kv = KvClient::new(peer);
            times_out(kv.hang().send(), &timer, 60 * SECOND).await;
            times_out(kv.hang_for_5_s().send(), &timer, 5 * SECOND).await;
            times_out(kv.hang_for_5_s().timeout(9 * SECOND).send(), &timer, 9 * SECOND).await;
            times_out(kv.hang().timeout(SECOND).send(), &timer, SECOND).await;
            times_out(async move { kv.batch((kv.hang(), kv.size())).await.map(drop) }, &timer, 60 * SECOND).await;
        }
    });
}

#[test]
fn the_builder_sets_the_default_timeout_of_both_kinds_of_connection() {
    run(async {
        let timer = ManualTimer::new();
        let set = |seconds: u32| Connection::client().timer(timer.clone()).call_timeout(seconds * SECOND);
        let (peer, _remote) = connect(set(3), kv());
        times_out(KvClient::new(peer).hang().send(), &timer, 3 * SECOND).await;
        let (peer, _remote) = connect(kv().timer(timer.clone()).call_timeout(4 * SECOND), kv());
        times_out(KvClient::new(peer).hang().send(), &timer, 4 * SECOND).await;
        // Without a timeout, the call of a method without one waits; that of the method still applies.
        let (peer, _remote) = connect(Connection::client().timer(timer.clone()).call_timeout(None), kv());
        let kv = KvClient::new(peer);
        let endless = tokio::spawn(kv.hang().send());
        times_out(kv.hang_for_5_s().send(), &timer, 5 * SECOND).await;
        timer.advance(1_000_000 * SECOND);
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert!(!endless.is_finished());
    });
}

#[test]
fn a_handler_that_calls_back_has_the_timeout_of_its_connection() {
    run(async {
        let timer = ManualTimer::new();
        let (peer, _remote) = connect(kv().call_timeout(None), kv().timer(timer.clone()).call_timeout(2 * SECOND));
        let call = tokio::spawn(KvClient::new(peer).call_back().send());
        while timer.pending_count() == 0 {
            tokio::task::yield_now().await;
        }
        timer.advance(2 * SECOND);
        assert_eq!(call.await.expect("no panic").expect("a response"), "Err(Timeout)");
    });
}

#[test]
fn send_sends_at_once_and_in_order_and_its_future_borrows_nothing() {
    run(async {
        let served = MyKv::default();
        let there = Connection::builder(Server::new(KvService::new(served.clone())));
        let (peer, _remote) = connect(Connection::client(), there);
        let mut calls = JoinSet::new();
        let last = {
            let kv = KvClient::new(peer);
            for n in 0..5 {
                let key = n.to_string();
                calls.spawn(kv.get(&key).send());
            }
            let touched = kv.touch("x".to_owned()).send();
            let last = kv.get("9").send();
            touched.await.expect("sent");
            last
        };
        // The client is gone; the calls are complete all the same.
        assert_eq!(last.await.expect("a result"), 9);
        let mut results: Vec<u64> =
            calls.join_all().await.into_iter().map(|result| result.expect("a result")).collect();
        results.sort_unstable();
        assert_eq!(results, [0, 1, 2, 3, 4]);
        let order = ["get 0", "get 1", "get 2", "get 3", "get 4", "touch x", "get 9"];
        assert_eq!(*served.0.lock().expect("not poisoned"), order);
    });
}

#[derive(Deserialize)]
struct Key {
    key: String,
}

/// A struct names a client over a connection without a parameter, and one over any caller with `AnyCaller`.
struct App {
    kv: KvClient,
    any: KvClient<AnyCaller>,
}

impl App {
    /// `?` works on calls with and without an error of their own, and on notifications.
    async fn total(&self, key: &str) -> Result<u64, CallError<ErrorObject>> {
        self.kv.touch(key.to_owned()).await?;
        Ok(self.kv.size().await? + self.any.get(key).await?)
    }
}

#[test]
fn any_caller_is_a_connection_a_server_in_the_process_or_a_mock() {
    run(async {
        let (peer, _remote) = connect(Connection::client(), kv());
        let mock = Mock::new().on("get", |call| {
            let params: Key = call.decode()?;
            params.key.parse::<u64>().map_err(|_| ErrorObject::new(7, "not a number").into())
        });
        let callers = [
            AnyCaller::new(peer.clone()),
            AnyCaller::new(Server::new(KvService::new(MyKv::default())).caller()),
            AnyCaller::new(mock),
        ];
        assert_eq!(callers.each_ref().map(Caller::supports_timeouts), [true, false, false]);
        for caller in callers {
            let app = App { kv: KvClient::new(peer.clone()), any: KvClient::new(caller) };
            assert_eq!(app.total("40").await.expect("a total"), 42);
            let error = app.total("x").await.expect_err("an error of the method");
            assert!(matches!(error, CallError::Method(object) if object.code == 7));
            let (one, other) = app.any.batch((app.any.get("1"), app.any.get("x"))).await.expect("a batch");
            assert_eq!((one.expect("a result"), other.is_err()), (1, true));
        }
    });
}

#[test]
fn a_call_on_a_closed_connection_fails_with_a_client_error_in_both_kinds_of_calls() {
    run(async {
        let (peer, remote) = connect(Connection::client(), kv());
        remote.close().await;
        let app = App { kv: KvClient::new(peer.clone()), any: KvClient::new(AnyCaller::new(peer)) };
        assert!(matches!(app.kv.size().await, Err(ClientError::Closed(_))));
        assert!(matches!(app.any.get("1").await, Err(CallError::Client(ClientError::Closed(_)))));
        assert!(matches!(app.total("1").await, Err(CallError::Client(ClientError::Closed(_)))));
    });
}
