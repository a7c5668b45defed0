//! What a live connection keeps does not grow with the calls that it has carried, however they ended.
//!
//! `RPC_CALLS` says how many rounds of calls; without it they are few.

use rpc_core::client::Timeout;
use rpc_core::connection::Connection;
use rpc_core::time::ManualTimer;
use rpc_core::transport::{Messages, Sink, memory};
use rpc_core::{Context, ErrorObject, Server, rpc};
use std::time::Duration;
use tests::allocator::{CountingAllocator, held, peak};
use tests::task::give_way;
use tests::world::World;

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
        give_way().await;
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
        give_way().await;
    }
}

#[test]
fn memory_does_not_grow_with_the_calls() {
    let asked = std::env::var("RPC_CALLS").ok().map(|text| text.parse().expect("RPC_CALLS is a number"));
    let (one, other) = memory::pair(1 << 10);
    let side = || Connection::builder(Server::new(ApiService::new(Mine))).max_unsent_bytes(64);
    let ((here, here_runs), (_there, there_runs)) = (side().over(one), side().over(other));
    let mut world = World::new();
    let _ends = (world.spawn(here_runs.run()), world.spawn(there_runs.run()));
    let timer = ManualTimer::new();
    let api = ApiClient::new(Timeout::new(here.clone(), timer.clone()));
    let mut round = |n: u64| {
        let ends = (world.spawn(api.add(1, 2)), world.spawn(api.later(n).id("own")), world.spawn(api.back()));
        let batch = world.spawn(api.batch((api.later(n).id("member"), api.add(1, 2), api.note(n))));
        let told = world.spawn(api.note(n));
        // Given up before it began, while it runs, and when its time is over; alone and in a batch.
        drop(api.never().into_future());
        drop(api.batch((api.never(), api.never().id("never"))).into_future());
        let late = world.spawn(api.never().timeout(Duration::from_secs(1)));
        world.run();
        timer.advance(Duration::from_secs(1));
        world.run();
        assert!(late.take().is_some_and(|end| end.is_err()));
        assert_eq!(ends.0.take().expect("it ends").expect("a sum"), 3, "{n}");
        assert_eq!(ends.1.take().expect("it ends").expect("a number"), n);
        assert_eq!(ends.2.take().expect("it ends").expect("a sum"), 3);
        told.take().expect("it ends").expect("it is sent");
        assert!(batch.take().is_some_and(|end| end.is_ok()));
        assert_eq!(here.pending_calls(), 0);
    };
    (0..200).for_each(&mut round);
    let few = peak(|| (0..200).for_each(&mut round));
    let many = peak(|| (0..asked.unwrap_or(2_000)).for_each(&mut round));
    // Ids grow by some digits.
    assert!(many <= few + 2_000, "{few} bytes for few rounds, {many} for many");
}

#[test]
fn buffers_are_not_kept_for_more_than_what_is_counted() {
    let (one, (_inlet, mut outlet)) = memory::pair(64 << 20);
    let mut world = World::new();
    let (_peer, runs) = Connection::builder(Server::new(ApiService::new(Mine))).over(one);
    let _end = world.spawn(runs.run());
    let response = format!(r#"{{"jsonrpc":"2.0","result":"{}","id":77}}"#, "x".repeat(1 << 20));
    let before = held();
    for _ in 0..50 {
        let mut messages = Messages::new();
        // Nobody waits for the reply; the call behind it is read into what it came in, and runs on.
        messages.push(response.as_bytes());
        messages.push(br#"{"jsonrpc":"2.0","method":"never","id":1}"#);
        let sent = world.spawn(async move { outlet.send(&messages).await.map(|()| outlet) });
        world.run();
        outlet = sent.take().expect("it is taken").expect("it is read");
    }
    let kept = held() - before;
    assert!(kept < 4 << 20, "{kept} bytes for 50 small calls");
}

#[test]
fn an_array_of_too_many_members_is_not_taken_apart() {
    let (one, (_inlet, mut outlet)) = memory::pair(64 << 20);
    let mut world = World::new();
    let (_peer, runs) = Connection::builder(Server::new(ApiService::new(Mine))).over(one);
    let _end = world.spawn(runs.run());
    let array = format!("[{}1]", "1,".repeat(1 << 20));
    let peak = peak(|| {
        let mut messages = Messages::new();
        messages.push(array.as_bytes());
        let sent = world.spawn(async move { outlet.send(&messages).await });
        world.run();
        sent.take().expect("it is taken").expect("it is read");
    });
    assert!(peak < 16 * array.len(), "{peak} bytes for an array of {}", array.len());
}
