//! What both sides serve, and the book that its handlers keep.

use rpc_core::client::Timeout;
use rpc_core::connection::Peer;
use rpc_core::time::ManualTimer;
use rpc_core::{Context, ErrorObject, rpc};
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tests::task::{Gate, give_way};

/// The calls of the model. `n` is another one for each message, so that a call is known wherever it is seen.
#[rpc]
pub(crate) trait Api {
    async fn quick(&self, n: u64) -> u64;
    /// Gives way some times, then waits for a gate.
    async fn gated(&self, n: u64, ways: u8, gate: usize) -> u64;
    /// Calls the other side back, `depth` times in all; the last one is gated.
    async fn back(
        &self,
        n: u64,
        depth: u8,
        gate: usize,
        #[rpc(context)] context: &Context<'_>,
    ) -> Result<u64, ErrorObject>;
    #[rpc(exclusive)]
    async fn alone(&self, n: u64, ways: u8, gate: usize) -> u64;
    #[rpc(exclusive)]
    async fn alone_back(
        &self,
        n: u64,
        depth: u8,
        gate: usize,
        #[rpc(context)] context: &Context<'_>,
    ) -> Result<u64, ErrorObject>;
    async fn panics(&self, n: u64, ways: u8) -> u64;
    async fn unwritable(&self, n: u64, ways: u8) -> Unwritable;
    #[rpc(notification)]
    async fn note(&self, n: u64, ways: u8, gate: usize);
    #[rpc(notification, exclusive)]
    async fn note_alone(&self, n: u64, ways: u8, gate: usize);
}

pub(crate) type Client = ApiClient<Timeout<Peer, ManualTimer>>;

/// What a call of this number results in.
pub(crate) fn result(n: u64) -> u64 {
    n.wrapping_mul(31) + 7
}

/// A result that cannot be written.
#[derive(Debug)]
pub(crate) struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("as planned"))
    }
}

impl<'de> serde::Deserialize<'de> for Unwritable {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Unwritable)
    }
}

/// The gates of one run, and the numbers of its calls.
#[derive(Default)]
pub(crate) struct Common {
    next: AtomicU64,
    gates: Mutex<Vec<Arc<Gate>>>,
}

impl Common {
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::SeqCst)
    }

    fn gates(&self) -> MutexGuard<'_, Vec<Arc<Gate>>> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new gate, closed.
    pub(crate) fn close_one(&self) -> usize {
        let mut gates = self.gates();
        gates.push(Arc::default());
        gates.len() - 1
    }

    pub(crate) fn gate(&self, gate: usize) -> Arc<Gate> {
        self.gates()[gate].clone()
    }

    pub(crate) fn open_all(&self) {
        let gates = self.gates().clone();
        for gate in gates {
            gate.open();
        }
    }
}

/// One handler that has begun and not ended.
struct Alive {
    message: usize,
    is_waiting: bool,
}

/// What one side has seen of the calls that it serves.
#[derive(Default)]
pub(crate) struct Book {
    /// Where a call stands: the message by its arrival, and the place in it.
    arrived: HashMap<u64, (usize, usize)>,
    /// Whether any call of a message runs alone.
    is_exclusive: Vec<bool>,
    alive: HashMap<u64, Alive>,
    latest: Option<(usize, usize)>,
    most: usize,
    begun: usize,
    ended: usize,
    /// What went wrong.
    pub(crate) faults: Vec<String>,
}

impl Book {
    /// With how many messages that may run at once.
    pub(crate) fn of(most: usize) -> Self {
        Book { most, ..Self::default() }
    }

    /// A message of calls came: their numbers, and whether any of them runs alone.
    pub(crate) fn arrive(&mut self, numbers: &[u64], is_exclusive: bool) {
        let message = self.is_exclusive.len();
        self.is_exclusive.push(is_exclusive);
        self.arrived.extend(numbers.iter().enumerate().map(|(place, n)| (*n, (message, place))));
    }

    /// The messages that run, without those that wait for the other side.
    fn running(&self) -> Vec<usize> {
        let mut running: Vec<_> =
            self.alive.values().filter(|alive| !alive.is_waiting).map(|alive| alive.message).collect();
        running.sort_unstable();
        running.dedup();
        running
    }

    fn begin(&mut self, n: u64) {
        let Some(place) = self.arrived.get(&n).copied() else {
            return self.faults.push(format!("call {n} began and never came"));
        };
        if self.latest.is_some_and(|latest| latest >= place) {
            self.faults.push(format!("call {n} began too late, or twice"));
        }
        self.latest = Some(place);
        self.begun += 1;
        let others: Vec<_> = self.running().into_iter().filter(|message| *message != place.0).collect();
        if others.len() >= self.most {
            self.faults.push(format!("call {n} began beside {} others", others.len()));
        }
        if !others.is_empty() && self.is_exclusive[place.0] {
            self.faults.push(format!("call {n} runs alone and began beside others"));
        }
        if others.iter().any(|message| self.is_exclusive[*message]) {
            self.faults.push(format!("call {n} began beside one that runs alone"));
        }
        self.alive.insert(n, Alive { message: place.0, is_waiting: false });
    }

    /// Says what is left over at the end.
    pub(crate) fn audit(&mut self) {
        if self.begun != self.ended || !self.alive.is_empty() {
            self.faults.push(format!("{} handlers began and {} ended", self.begun, self.ended));
        }
    }
}

pub(crate) fn open(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The handlers of one side.
#[derive(Clone)]
pub(crate) struct Handlers {
    pub(crate) book: Arc<Mutex<Book>>,
    pub(crate) common: Arc<Common>,
    /// A handle that outlives its handler.
    pub(crate) kept: Arc<Mutex<Option<Peer>>>,
}

/// A handler that has begun.
struct RunningHandler<'h>(&'h Handlers, u64);

impl Drop for RunningHandler<'_> {
    fn drop(&mut self) {
        let mut book = open(&self.0.book);
        book.alive.remove(&self.1);
        book.ended += 1;
    }
}

impl RunningHandler<'_> {
    fn waits(&self, is_waiting: bool) {
        if let Some(alive) = open(&self.0.book).alive.get_mut(&self.1) {
            alive.is_waiting = is_waiting;
        }
    }
}

impl Handlers {
    fn begin(&self, n: u64) -> RunningHandler<'_> {
        open(&self.book).begin(n);
        RunningHandler(self, n)
    }

    async fn pass(&self, n: u64, ways: u8, gate: usize) -> u64 {
        let _begun = self.begin(n);
        for _ in 0..ways {
            give_way().await;
        }
        self.common.gate(gate).passed().await;
        result(n)
    }

    async fn call_back(&self, n: u64, depth: u8, gate: usize, context: &Context<'_>) -> Result<u64, ErrorObject> {
        let begun = self.begin(n);
        if n.is_multiple_of(3) {
            give_way().await;
        }
        let peer = context.peer().ok_or_else(ErrorObject::internal_error)?;
        let api = ApiClient::new(peer.clone());
        let next = self.common.number();
        begun.waits(true);
        let end = match depth {
            0 => api.gated(next, 1, gate).await.map_err(ErrorObject::from),
            depth if n.is_multiple_of(4) => api.alone_back(next, depth - 1, gate).await.map_err(ErrorObject::from),
            depth => api.back(next, depth - 1, gate).await.map_err(ErrorObject::from),
        };
        begun.waits(false);
        let end = end?;
        if end != result(next) {
            open(&self.book).faults.push(format!("call {n} was told {end} for call {next}"));
        }
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(peer);
        Ok(result(n))
    }
}

impl Api for Handlers {
    async fn quick(&self, n: u64) -> u64 {
        let _begun = self.begin(n);
        result(n)
    }
    async fn gated(&self, n: u64, ways: u8, gate: usize) -> u64 {
        self.pass(n, ways, gate).await
    }
    async fn back(&self, n: u64, depth: u8, gate: usize, context: &Context<'_>) -> Result<u64, ErrorObject> {
        self.call_back(n, depth, gate, context).await
    }
    async fn alone(&self, n: u64, ways: u8, gate: usize) -> u64 {
        self.pass(n, ways, gate).await
    }
    async fn alone_back(&self, n: u64, depth: u8, gate: usize, context: &Context<'_>) -> Result<u64, ErrorObject> {
        self.call_back(n, depth, gate, context).await
    }
    async fn panics(&self, n: u64, ways: u8) -> u64 {
        let _begun = self.begin(n);
        for _ in 0..ways {
            give_way().await;
        }
        // Without the hook, which would print it.
        std::panic::resume_unwind(Box::new("as planned"))
    }
    async fn unwritable(&self, n: u64, ways: u8) -> Unwritable {
        let _begun = self.begin(n);
        for _ in 0..ways {
            give_way().await;
        }
        Unwritable
    }
    async fn note(&self, n: u64, ways: u8, gate: usize) {
        self.pass(n, ways, gate).await;
    }
    async fn note_alone(&self, n: u64, ways: u8, gate: usize) {
        self.pass(n, ways, gate).await;
    }
}
