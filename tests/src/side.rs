//! One side of a connection, the same in this process and in a child: what the tests of transports call.

use crate::task::give_way;
use rpc_core::connection::{Builder, Connection, Peer};
use rpc_core::{ClientError, Context, ErrorObject, Server, rpc};
use serde_json::value::RawValue;
use std::future::{pending, poll_fn};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

/// A little of everything that a transport can get wrong.
#[rpc]
pub trait Side {
    /// The sum.
    async fn add(&self, a: i64, b: i64) -> i64;
    /// The same text.
    async fn echo(&self, text: String) -> String;
    /// The same text, by way of the other side.
    async fn echo_back(&self, text: String, #[rpc(context)] context: &Context<'_>) -> Result<String, ErrorObject>;
    /// As many letters, written before they are asked for: what is measured is the transport.
    async fn fill(&self, bytes: usize) -> Box<RawValue>;
    /// Never ends by itself.
    async fn wait(&self) -> u8;
    /// Ends when the gate is opened.
    async fn pass(&self) -> u8;
    /// How many calls of `wait` and `pass` run.
    async fn running(&self) -> usize;
    /// Asks the other side as deep as is said.
    async fn nested(&self, depth: u32, #[rpc(context)] context: &Context<'_>) -> Result<u32, ErrorObject>;
    /// Asks the other side to count.
    #[rpc(notification)]
    async fn have_counted(&self, #[rpc(context)] context: &Context<'_>);
    /// One more.
    async fn count(&self) -> usize;
    /// One more, with something to carry.
    #[rpc(notification)]
    async fn tell(&self, text: String);
    /// Asks the other side and blocks; whether that is refused.
    async fn block(&self, #[rpc(context)] context: &Context<'_>) -> bool;
    /// Panics.
    async fn break_down(&self) -> u8;
    /// Panics where nobody hears it.
    #[rpc(notification)]
    async fn break_down_unheard(&self);
    /// Asks the other side to panic, and gives the code of its answer.
    async fn break_other(&self, #[rpc(context)] context: &Context<'_>) -> Option<i64>;
    /// Takes effect in order.
    #[rpc(notification, exclusive)]
    async fn append(&self, n: u32);
    /// What was appended.
    async fn read(&self) -> Vec<u32>;
    /// Has this side stop.
    async fn stop(&self, #[rpc(context)] context: &Context<'_>) -> bool;
    /// Writes a line to stdout that is no message.
    async fn print(&self) -> bool;
}

/// A number that one can wait for.
#[derive(Clone, Debug, Default)]
pub struct Count(Arc<Mutex<(usize, Vec<Waker>)>>);

impl Count {
    /// What it is now.
    #[must_use]
    pub fn now(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits until it is this.
    pub async fn is(&self, wanted: usize) {
        poll_fn(|context| {
            let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if count.0 == wanted {
                return Poll::Ready(());
            }
            count.1.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Changes it, and gives what it is then.
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

/// What runs, counted as long as it is not dropped.
struct Alive(Count);

impl Alive {
    fn of(count: &Count) -> Self {
        count.change(|count| count + 1);
        Alive(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.change(|count| count - 1);
    }
}

/// The implementation; clones share what they hold.
#[derive(Clone, Debug, Default)]
pub struct MySide {
    /// How many calls of `wait` and `pass` run.
    pub running: Count,
    /// How often it was asked to count.
    pub counted: Count,
    /// What lets `pass` pass.
    pub gate: Arc<crate::task::Gate>,
    list: Arc<Mutex<Vec<u32>>>,
}

fn other(context: &Context<'_>) -> Result<SideClient<Peer>, ErrorObject> {
    context.peer().map(SideClient::new).ok_or_else(ErrorObject::internal_error)
}

/// A JSON string of as many letters.
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
        Ok(other(context)?.echo(text).await?)
    }
    async fn fill(&self, bytes: usize) -> Box<RawValue> {
        letters(bytes)
    }
    async fn wait(&self) -> u8 {
        let _alive = Alive::of(&self.running);
        pending().await
    }
    async fn pass(&self) -> u8 {
        let _alive = Alive::of(&self.running);
        self.gate.passed().await;
        7
    }
    async fn running(&self) -> usize {
        self.running.now()
    }
    async fn nested(&self, depth: u32, context: &Context<'_>) -> Result<u32, ErrorObject> {
        match depth {
            0 => Ok(0),
            depth => Ok(other(context)?.nested(depth - 1).await? + 1),
        }
    }
    async fn have_counted(&self, context: &Context<'_>) {
        if let Ok(other) = other(context) {
            // Nobody can be told.
            let _ = other.count().await;
        }
    }
    async fn count(&self) -> usize {
        self.counted.change(|count| count + 1)
    }
    async fn tell(&self, _text: String) {
        self.counted.change(|count| count + 1);
    }
    async fn block(&self, context: &Context<'_>) -> bool {
        other(context).is_ok_and(|other| matches!(other.add(1, 2).wait(), Err(ClientError::Unsupported(_))))
    }
    async fn break_down(&self) -> u8 {
        give_way().await;
        panic!("as it is meant to");
    }
    async fn break_down_unheard(&self) {
        give_way().await;
        panic!("as it is meant to");
    }
    async fn break_other(&self, context: &Context<'_>) -> Option<i64> {
        match other(context).ok()?.break_down().await {
            Err(ClientError::Rpc(error)) => Some(error.code),
            _ => None,
        }
    }
    async fn append(&self, n: u32) {
        for _ in 0..n % 4 {
            give_way().await;
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

/// What a side is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// How many calls may run.
    pub running: usize,
    /// How many messages may wait.
    pub waiting: usize,
    /// How many members a batch may have.
    pub members: usize,
    /// For how many milliseconds calls run on when the other side has ended its input, if there is a limit.
    pub linger: Option<usize>,
}

impl Default for Setup {
    fn default() -> Self {
        Setup { running: 1024, waiting: 1024, members: 1024, linger: None }
    }
}

impl Setup {
    /// The server of a side.
    #[must_use]
    pub fn server(self, side: &MySide) -> Server<SideService<MySide>> {
        Server::new(SideService::new(side.clone())).max_batch_members(self.members)
    }

    /// Sets a connection up.
    pub fn set(self, builder: Builder<SideService<MySide>>) -> Builder<SideService<MySide>> {
        let builder = builder.max_running(self.running).max_queued(self.waiting);
        match self.linger {
            Some(time) => builder.half_close_timeout(Duration::from_millis(time as u64)),
            None => builder,
        }
    }

    /// A connection that serves a side.
    pub fn builder(self, side: &MySide) -> Builder<SideService<MySide>> {
        self.set(Connection::builder(self.server(side)))
    }

    /// The same as arguments of the program `side`.
    #[must_use]
    pub fn arguments(self) -> Vec<String> {
        let numbers = [self.running, self.waiting, self.members].into_iter().chain(self.linger);
        numbers.map(|number| number.to_string()).collect()
    }

    /// What such arguments say.
    #[must_use]
    pub fn of(arguments: &[String]) -> Option<Self> {
        let numbers: Result<Vec<usize>, _> = arguments.iter().map(|text| text.parse()).collect();
        let [running, waiting, members, ref linger @ ..] = numbers.ok()?[..] else { return None };
        Some(Setup { running, waiting, members, linger: linger.first().copied() })
    }
}
