//! The memory of a live connection does not grow with its completed, timed-out and dropped calls.
//!
//! `RPC_CALLS` sets the number of rounds of calls, 2,000 by default.

use rpc_core::client::Timeout;
use rpc_core::connection::Connection;
use rpc_core::time::ManualTimer;
use rpc_core::transport::{Messages, Sink, memory};
use rpc_core::{Context, ErrorObject, Server, rpc};
use std::time::Duration;
use tests::allocator::{CountingAllocator, held, peak};
use tests::executor::Executor;
use tests::task::yield_now;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[rpc]
trait Api {
    async fn add(&self, a: i64, b: i64) -> i64;
    async fn later(&self, n: u64) -> u64;
    async fn never(&self) -> u64;
    async fn back(&self, #[rpc(context)] context: &Context<'_>) -> Result<i64, ErrorObject>;
    #[rpc(notification, exclusive)]
    async fn note(&self, n: u64);
}

struct Mine;

impl Api for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn later(&self, n: u64) -> u64 {
        yield_now().await;
        n
    }
    async fn never(&self) -> u64 {
        std::future::pending::<()>().await;
        0
    }
    async fn back(&self, context: &Context<'_>) -> Result<i64, ErrorObject> {
        let peer = context.peer().ok_or_else(ErrorObject::internal_error)?;
        Ok(ApiClient::new(peer).add(1, 2).await?)
    }
    async fn note(&self, _n: u64) {
        yield_now().await;
    }
}

#[test]
fn the_memory_of_a_connection_does_not_grow_with_its_calls() {
    let requested = std::env::var("RPC_CALLS").ok().map(|text| text.parse().expect("RPC_CALLS is a number"));
    let (one, other) = memory::pair(1 << 10);
    let builder = || Connection::builder(Server::new(ApiService::new(Mine))).max_unsent_bytes(64);
    let ((peer, calling), (_, serving)) = (builder().over(one), builder().over(other));
    let mut executor = Executor::new();
    let _running = (executor.spawn(calling.run()), executor.spawn(serving.run()));
    let timer = ManualTimer::new();
    let api = ApiClient::new(Timeout::new(peer.clone(), timer.clone()));
    let mut round = |n: u64| {
        let (sum, number, sum_back) =
            (executor.spawn(api.add(1, 2)), executor.spawn(api.later(n).id("own")), executor.spawn(api.back()));
        let batch = executor.spawn(api.batch((api.later(n).id("member"), api.add(1, 2), api.note(n))));
        let note = executor.spawn(api.note(n));
        // Calls that are dropped at once, single and in a batch, and a call that times out.
        drop(api.never().into_future());
        drop(api.batch((api.never(), api.never().id("never"))).into_future());
        let late = executor.spawn(api.never().timeout(Duration::from_secs(1)));
        executor.run();
        timer.advance(Duration::from_secs(1));
        executor.run();
        assert!(late.take().is_some_and(|outcome| outcome.is_err()));
        assert_eq!(sum.take().expect("completed").expect("a sum"), 3, "{n}");
        assert_eq!(number.take().expect("completed").expect("a number"), n);
        assert_eq!(sum_back.take().expect("completed").expect("a sum"), 3);
        note.take().expect("completed").expect("sent");
        assert!(batch.take().is_some_and(|outcome| outcome.is_ok()));
        assert_eq!(peer.pending_calls(), 0);
    };
    (0..200).for_each(&mut round);
    let few = peak(|| (0..200).for_each(&mut round));
    let many = peak(|| (0..requested.unwrap_or(2_000)).for_each(&mut round));
    // Ids grow by some digits.
    assert!(many <= few + 2_000, "{few} bytes for few rounds, {many} for many");
}

#[test]
fn a_running_call_does_not_keep_the_large_buffer_it_was_read_into() {
    let (one, (_source, mut sink)) = memory::pair(64 << 20);
    let mut executor = Executor::new();
    let (_peer, connection) = Connection::builder(Server::new(ApiService::new(Mine))).over(one);
    let _running = executor.spawn(connection.run());
    let response = format!(r#"{{"jsonrpc":"2.0","result":"{}","id":77}}"#, "x".repeat(1 << 20));
    let before = held();
    for _ in 0..50 {
        let mut messages = Messages::new();
        // The response matches no call. The request behind it is read into the same buffer, and keeps running.
        messages.push(response.as_bytes());
        messages.push(br#"{"jsonrpc":"2.0","method":"never","id":1}"#);
        let sent = executor.spawn(async move { sink.send(&messages).await.map(|()| sink) });
        executor.run();
        sink = sent.take().expect("completed").expect("sent");
    }
    let kept = held() - before;
    assert!(kept < 4 << 20, "{kept} bytes for 50 small calls");
}

#[test]
fn the_members_of_a_batch_over_the_limit_are_not_stored() {
    let (one, (_source, mut sink)) = memory::pair(64 << 20);
    let mut executor = Executor::new();
    let (_peer, connection) = Connection::builder(Server::new(ApiService::new(Mine))).over(one);
    let _running = executor.spawn(connection.run());
    let array = format!("[{}1]", "1,".repeat(1 << 20));
    let peak = peak(|| {
        let mut messages = Messages::new();
        messages.push(array.as_bytes());
        let sent = executor.spawn(async move { sink.send(&messages).await });
        executor.run();
        sent.take().expect("completed").expect("sent");
    });
    assert!(peak < 16 * array.len(), "{peak} bytes for an array of {}", array.len());
}
