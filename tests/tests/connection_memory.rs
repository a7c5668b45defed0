//! What a live connection keeps does not grow with the calls that it has carried, however they ended.
//!
//! `RPC_CALLS` says how many rounds of calls; without it they are few.

use rpc_core::client::{ManualTimer, Timed};
use rpc_core::connection::Connection;
use rpc_core::transport::memory;
use rpc_core::{Context, ErrorObject, Server, rpc};
use std::time::Duration;
use tests::allocator::{CountingAllocator, peak};
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
    let api = ApiClient::new(Timed::new(here.clone(), timer.clone()));
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
        assert_eq!(here.open_calls(), 0);
    };
    (0..200).for_each(&mut round);
    let few = peak(|| (0..200).for_each(&mut round));
    let many = peak(|| (0..asked.unwrap_or(2_000)).for_each(&mut round));
    // Ids grow by some digits.
    assert!(many <= few + 2_000, "{few} bytes for few rounds, {many} for many");
}
