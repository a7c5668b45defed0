//! Both sides of a socket call each other at full speed: every call completes, and the memory does not grow.
//!
//! `RPC_TRAFFIC` sets the number of rounds of each caller, 100 by default.

use rpc_core::connection::Connection;
use rpc_core::net::Listener;
use rpc_core::{CallError, Context, ErrorObject, Server, rpc};
use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};
use tests::allocator::{CountingAllocator, held};
use tests::random::Random;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The concurrent callers of each side.
const CALLERS: u64 = 32;

#[rpc]
trait Api {
    async fn add(&self, a: i64, b: i64) -> i64;
    async fn echo(&self, text: String) -> String;
    async fn divide(&self, a: i64, b: i64) -> Result<i64, ErrorObject>;
    async fn later(&self, times: u8) -> u8;
    async fn never(&self) -> u8;
    async fn back(&self, n: i64, #[rpc(context)] context: &Context<'_>) -> Result<i64, ErrorObject>;
    #[rpc(notification, exclusive)]
    async fn note(&self, n: u64);
}

struct Mine;

impl Api for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn echo(&self, text: String) -> String {
        text
    }
    async fn divide(&self, a: i64, b: i64) -> Result<i64, ErrorObject> {
        a.checked_div(b).ok_or_else(|| ErrorObject::new(1, "division by zero"))
    }
    async fn later(&self, times: u8) -> u8 {
        for _ in 0..times {
            tokio::task::yield_now().await;
        }
        times
    }
    async fn never(&self) -> u8 {
        std::future::pending().await
    }
    async fn back(&self, n: i64, context: &Context<'_>) -> Result<i64, ErrorObject> {
        let peer = context.peer().ok_or_else(ErrorObject::internal_error)?;
        Ok(ApiClient::new(peer).add(n, 1).await?)
    }
    async fn note(&self, _n: u64) {
        tokio::task::yield_now().await;
    }
}

type Client = ApiClient;

/// Makes one call of a random kind and checks its outcome.
async fn random_call(api: &Client, random: &mut Random, n: u64) {
    let a = i64::try_from(n % 1000).expect("a small number");
    match random.below(10) {
        0..=3 => assert_eq!(api.add(a, 1).await.expect("a sum"), a + 1),
        4 => {
            let text = "é\"\n".repeat(random.below(400));
            assert_eq!(api.echo(text.clone()).await.expect("the text"), text);
        }
        5 => {
            let outcome = api.divide(a, 0).await;
            assert!(matches!(&outcome, Err(CallError::Method(error)) if error.code == 1), "{outcome:?}");
        }
        6 => {
            let times = u8::try_from(random.below(5)).expect("a small number");
            assert_eq!(api.later(times).await.expect("the number"), times);
        }
        7 => {
            // The call is dropped while it is pending, and the peer receives a cancel.
            let mut call = Box::pin(api.never().into_future());
            let is_pending = poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending())).await;
            assert!(is_pending);
            tokio::task::yield_now().await;
        }
        8 => assert_eq!(api.back(a).await.expect("a sum"), a + 1),
        _ => {
            api.note(n).await.expect("sent");
            let (sum, quotient, note) =
                api.batch((api.add(a, 2), api.divide(4, 2), api.note(n))).await.expect("a batch");
            assert_eq!((sum.expect("a sum"), quotient.expect("a quotient")), (a + 2, 2));
            note.expect("sent");
        }
    }
}

async fn round(apis: &[Client; 2], rounds: u64, seed: u64) {
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        for (side, api) in apis.iter().enumerate() {
            let api = api.clone();
            let mut random = Random::new(seed + caller * 2 + side as u64);
            callers.spawn(async move {
                for n in 0..rounds {
                    random_call(&api, &mut random, n).await;
                }
            });
        }
    }
    while let Some(outcome) = callers.join_next().await {
        outcome.expect("no panic");
    }
    // The last cancels may still be queued; this call is sent after them.
    for api in apis {
        let sum = api.add(1, 1).timeout(Duration::from_secs(60)).await;
        assert_eq!(sum.expect("a sum"), 2);
        assert_eq!(api.caller().pending_calls(), 0);
    }
}

#[test]
fn traffic_in_both_directions_loses_no_call_and_keeps_no_memory() {
    let requested = std::env::var("RPC_TRAFFIC").ok().map(|text| text.parse().expect("RPC_TRAFFIC is a number"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
    runtime.block_on(async {
        let (opened, mut peers) = mpsc::unbounded_channel();
        let listener = Listener::builder(Server::new(ApiService::new(Mine)))
            .on_open(move |peer| opened.send(peer.clone()).expect("the test receives it"))
            .listen("tcp://127.0.0.1:0")
            .await
            .expect("a free port");
        let address = listener.address().to_string();
        let shutdown_handle = listener.shutdown_handle();
        let serving = tokio::spawn(listener.run());
        let there = Connection::builder(Server::new(ApiService::new(Mine))).connect(address).await.expect("a listener");
        let here = peers.recv().await.expect("a connection");
        let apis = [here, there].map(ApiClient::new);

        round(&apis, 100, 1).await;
        let (before, start) = (held(), Instant::now());
        let chunks = requested.map_or(1, |rounds: u64| rounds.div_ceil(1_000));
        for chunk in 0..chunks {
            round(&apis, requested.map_or(100, |_| 1_000), chunk * 1_000).await;
            let growth = held().saturating_sub(before);
            if requested.is_some() && (chunk % 64 == 0 || chunk + 1 == chunks) {
                let rounds = (chunk + 1) * 1_000 * CALLERS * 2;
                println!("{rounds} rounds, {:?}, grown by {growth} bytes", start.elapsed());
            }
            // Buffers are reused; their size depends on the largest of the last calls.
            assert!(growth < 1 << 20, "grown by {growth} bytes after {chunk} chunks");
        }
        drop(apis);
        shutdown_handle.shutdown();
        serving.await.expect("no panic");
        assert_eq!(shutdown_handle.connection_count(), 0);
    });
}
