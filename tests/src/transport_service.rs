//! The service that both sides of a connection have in the tests of transports, in this process and in a child process.

use crate::task::yield_now;
use rpc_core::connection::{Builder, Connection, Peer};
use rpc_core::{ClientError, Context, ErrorObject, Server, rpc};
use serde_json::value::RawValue;
use std::future::{pending, poll_fn};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

/// The methods that one side of a connection serves.
#[rpc]
pub trait Side {
    /// Returns the sum.
    async fn add(&self, a: i64, b: i64) -> i64;
    /// Returns the text.
    async fn echo(&self, text: String) -> String;
    /// Calls `echo` of the peer.
    async fn echo_back(&self, text: String, #[rpc(context)] context: &Context<'_>) -> Result<String, ErrorObject>;
    /// Returns a string of `bytes` letters.
    async fn fill(&self, bytes: usize) -> Box<RawValue>;
    /// Never returns.
    async fn wait(&self) -> u8;
    /// Returns when the gate is open.
    async fn pass(&self) -> u8;
    /// Returns the number of running calls of `wait` and `pass`.
    async fn running(&self) -> usize;
    /// Calls `nested` of the peer with `depth - 1`, down to 0.
    async fn nested(&self, depth: u32, #[rpc(context)] context: &Context<'_>) -> Result<u32, ErrorObject>;
    /// Calls `count` of the peer.
    #[rpc(notification)]
    async fn have_counted(&self, #[rpc(context)] context: &Context<'_>);
    /// Increments the counter and returns it.
    async fn count(&self) -> usize;
    /// Increments the counter; the text is a payload of any size.
    #[rpc(notification)]
    async fn tell(&self, text: String);
    /// Calls the peer with a blocking `wait()`, and returns whether that call is refused.
    async fn block(&self, #[rpc(context)] context: &Context<'_>) -> bool;
    /// Panics.
    async fn break_down(&self) -> u8;
    /// Panics in a notification.
    #[rpc(notification)]
    async fn break_down_unheard(&self);
    /// Calls `break_down` of the peer and returns the code of the error.
    async fn break_other(&self, #[rpc(context)] context: &Context<'_>) -> Option<i64>;
    /// Appends a number to the list.
    #[rpc(notification, exclusive)]
    async fn append(&self, n: u32);
    /// Returns the list.
    async fn read(&self) -> Vec<u32>;
    /// Shuts this side of the connection down.
    async fn stop(&self, #[rpc(context)] context: &Context<'_>) -> bool;
    /// Writes a line to stdout that is not a message.
    async fn print(&self) -> bool;
}

/// A counter whose values can be awaited.
#[derive(Clone, Debug, Default)]
pub struct Count(Arc<Mutex<(usize, Vec<Waker>)>>);

impl Count {
    /// Returns the current value.
    #[must_use]
    pub fn now(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits until the value is `expected`.
    pub async fn is(&self, expected: usize) {
        poll_fn(|context| {
            let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if count.0 == expected {
                return Poll::Ready(());
            }
            count.1.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Changes the value and returns the new one.
    pub fn change(&self, change: impl FnOnce(usize) -> usize) -> usize {
        let (now, wakers) = {
            let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            count.0 = change(count.0);
            (count.0, std::mem::take(&mut count.1))
        };
        wakers.into_iter().for_each(Waker::wake);
        now
    }
}

/// A running handler, counted until it is dropped.
struct Running(Count);

impl Running {
    fn new(count: &Count) -> Self {
        count.change(|count| count + 1);
        Running(count.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.change(|count| count - 1);
    }
}

/// The implementation. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct MySide {
    /// The number of running calls of `wait` and `pass`.
    pub running: Count,
    /// The counter of `count` and `tell`.
    pub counted: Count,
    /// The gate that `pass` waits at.
    pub gate: Arc<crate::task::Gate>,
    list: Arc<Mutex<Vec<u32>>>,
}

fn peer(context: &Context<'_>) -> Result<SideClient<Peer>, ErrorObject> {
    context.peer().map(SideClient::new).ok_or_else(ErrorObject::internal_error)
}

/// Returns a JSON string of `bytes` letters.
///
/// # Panics
///
/// Never.
#[must_use]
pub fn letters(bytes: usize) -> Box<RawValue> {
    RawValue::from_string(format!("\"{}\"", "x".repeat(bytes))).expect("JSON")
}

impl Side for MySide {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn echo(&self, text: String) -> String {
        text
    }
    async fn echo_back(&self, text: String, context: &Context<'_>) -> Result<String, ErrorObject> {
        Ok(peer(context)?.echo(text).await?)
    }
    async fn fill(&self, bytes: usize) -> Box<RawValue> {
        letters(bytes)
    }
    async fn wait(&self) -> u8 {
        let _running = Running::new(&self.running);
        pending().await
    }
    async fn pass(&self) -> u8 {
        let _running = Running::new(&self.running);
        self.gate.passed().await;
        7
    }
    async fn running(&self) -> usize {
        self.running.now()
    }
    async fn nested(&self, depth: u32, context: &Context<'_>) -> Result<u32, ErrorObject> {
        match depth {
            0 => Ok(0),
            depth => Ok(peer(context)?.nested(depth - 1).await? + 1),
        }
    }
    async fn have_counted(&self, context: &Context<'_>) {
        if let Ok(peer) = peer(context) {
            // A notification cannot report the error.
            let _ = peer.count().await;
        }
    }
    async fn count(&self) -> usize {
        self.counted.change(|count| count + 1)
    }
    async fn tell(&self, _text: String) {
        self.counted.change(|count| count + 1);
    }
    async fn block(&self, context: &Context<'_>) -> bool {
        peer(context).is_ok_and(|peer| matches!(peer.add(1, 2).wait(), Err(ClientError::Unsupported(_))))
    }
    async fn break_down(&self) -> u8 {
        yield_now().await;
        panic!("on purpose");
    }
    async fn break_down_unheard(&self) {
        yield_now().await;
        panic!("on purpose");
    }
    async fn break_other(&self, context: &Context<'_>) -> Option<i64> {
        match peer(context).ok()?.break_down().await {
            Err(ClientError::Rpc(error)) => Some(error.code),
            _ => None,
        }
    }
    async fn append(&self, n: u32) {
        for _ in 0..n % 4 {
            yield_now().await;
        }
        self.list.lock().unwrap_or_else(PoisonError::into_inner).push(n);
    }
    async fn read(&self) -> Vec<u32> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    async fn stop(&self, context: &Context<'_>) -> bool {
        context.peer().inspect(Peer::shutdown).is_some()
    }
    async fn print(&self) -> bool {
        println!("a stray line");
        true
    }
}

/// The limits of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The argument of `Builder::max_running`.
    pub max_running: usize,
    /// The argument of `Builder::max_queued`.
    pub max_queued: usize,
    /// The argument of `Server::max_batch_members`.
    pub max_batch_members: usize,
    /// The argument of `Builder::half_close_timeout`, in milliseconds.
    pub half_close_timeout_ms: Option<usize>,
}

impl Default for Setup {
    fn default() -> Self {
        Setup { max_running: 1024, max_queued: 1024, max_batch_members: 1024, half_close_timeout_ms: None }
    }
}

impl Setup {
    /// Returns a server that serves a side.
    #[must_use]
    pub fn server(self, side: &MySide) -> Server<SideService<MySide>> {
        Server::new(SideService::new(side.clone())).max_batch_members(self.max_batch_members)
    }

    /// Sets the limits of a connection.
    pub fn configure(self, builder: Builder<SideService<MySide>>) -> Builder<SideService<MySide>> {
        let builder = builder.max_running(self.max_running).max_queued(self.max_queued);
        match self.half_close_timeout_ms {
            Some(millis) => builder.half_close_timeout(Duration::from_millis(millis as u64)),
            None => builder,
        }
    }

    /// Returns the builder of a connection that serves a side.
    pub fn builder(self, side: &MySide) -> Builder<SideService<MySide>> {
        self.configure(Connection::builder(self.server(side)))
    }

    /// Returns the limits as command-line arguments of `test_peer`.
    #[must_use]
    pub fn arguments(self) -> Vec<String> {
        let limits = [self.max_running, self.max_queued, self.max_batch_members];
        limits.into_iter().chain(self.half_close_timeout_ms).map(|limit| limit.to_string()).collect()
    }

    /// Parses the command-line arguments of `test_peer`.
    #[must_use]
    pub fn from_arguments(arguments: &[String]) -> Option<Self> {
        let limits: Result<Vec<usize>, _> = arguments.iter().map(|text| text.parse()).collect();
        let [max_running, max_queued, max_batch_members, ref rest @ ..] = limits.ok()?[..] else { return None };
        Some(Setup { max_running, max_queued, max_batch_members, half_close_timeout_ms: rest.first().copied() })
    }
}
