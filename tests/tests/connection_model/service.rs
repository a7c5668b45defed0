//! The service of both sides, and the log of its handlers.

use rpc_core::client::Timeout;
use rpc_core::connection::Peer;
use rpc_core::time::ManualTimer;
use rpc_core::{Context, ErrorObject, rpc};
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tests::task::{Gate, yield_now};

/// The calls of the model. `n` identifies a call: it is unique in a run.
#[rpc]
pub(crate) trait Api {
    async fn quick(&self, n: u64) -> u64;
    /// Yields `ways` times, then waits at a gate.
    async fn gated(&self, n: u64, ways: u8, gate: usize) -> u64;
    /// Calls the peer, which calls back, `depth` times in all. The last call is `gated`.
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

/// Returns the result of the call with this number.
pub(crate) fn result(n: u64) -> u64 {
    n.wrapping_mul(31) + 7
}

/// A result that cannot be serialised.
#[derive(Debug)]
pub(crate) struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("on purpose"))
    }
}

impl<'de> serde::Deserialize<'de> for Unwritable {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Unwritable)
    }
}

/// The gates and the call numbers of one run.
#[derive(Default)]
pub(crate) struct Shared {
    next: AtomicU64,
    gates: Mutex<Vec<Arc<Gate>>>,
}

impl Shared {
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::SeqCst)
    }

    fn gates(&self) -> MutexGuard<'_, Vec<Arc<Gate>>> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a closed gate and returns its index.
    pub(crate) fn new_gate(&self) -> usize {
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

/// A running handler.
struct Running {
    message: usize,
    is_waiting: bool,
}

/// The calls that one side serves, as its handlers see them.
#[derive(Default)]
pub(crate) struct HandlerLog {
    /// For each call its position: the index of its message, and the index in the message.
    arrived: HashMap<u64, (usize, usize)>,
    /// For each message whether any of its calls is exclusive.
    is_exclusive: Vec<bool>,
    running: HashMap<u64, Running>,
    latest: Option<(usize, usize)>,
    max_running: usize,
    started: usize,
    ended: usize,
    /// The violations of the model.
    pub(crate) faults: Vec<String>,
}

impl HandlerLog {
    /// Creates a log for a side that runs at most `max_running` messages at once.
    pub(crate) fn new(max_running: usize) -> Self {
        HandlerLog { max_running, ..Self::default() }
    }

    /// Records the arrival of a message with these calls.
    pub(crate) fn arrive(&mut self, numbers: &[u64], is_exclusive: bool) {
        let message = self.is_exclusive.len();
        self.is_exclusive.push(is_exclusive);
        self.arrived.extend(numbers.iter().enumerate().map(|(index, n)| (*n, (message, index))));
    }

    /// Returns the running messages, without those whose handlers all wait for the peer.
    fn running(&self) -> Vec<usize> {
        let mut running: Vec<_> =
            self.running.values().filter(|running| !running.is_waiting).map(|running| running.message).collect();
        running.sort_unstable();
        running.dedup();
        running
    }

    fn start(&mut self, n: u64) {
        let Some(position) = self.arrived.get(&n).copied() else {
            return self.faults.push(format!("call {n} started without having arrived"));
        };
        if self.latest.is_some_and(|latest| latest >= position) {
            self.faults.push(format!("call {n} started out of order, or twice"));
        }
        self.latest = Some(position);
        self.started += 1;
        let others: Vec<_> = self.running().into_iter().filter(|message| *message != position.0).collect();
        if others.len() >= self.max_running {
            self.faults.push(format!("call {n} started while {} other messages ran", others.len()));
        }
        if !others.is_empty() && self.is_exclusive[position.0] {
            self.faults.push(format!("the exclusive call {n} started while others ran"));
        }
        if others.iter().any(|message| self.is_exclusive[*message]) {
            self.faults.push(format!("call {n} started while an exclusive one ran"));
        }
        self.running.insert(n, Running { message: position.0, is_waiting: false });
    }

    /// Records a fault if any handler has not ended.
    pub(crate) fn check(&mut self) {
        if self.started != self.ended || !self.running.is_empty() {
            self.faults.push(format!("{} handlers started and {} ended", self.started, self.ended));
        }
    }
}

pub(crate) fn lock(log: &Mutex<HandlerLog>) -> MutexGuard<'_, HandlerLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The handlers of one side.
#[derive(Clone)]
pub(crate) struct Handlers {
    pub(crate) log: Arc<Mutex<HandlerLog>>,
    pub(crate) shared: Arc<Shared>,
    /// A peer that outlives its handler.
    pub(crate) kept_peer: Arc<Mutex<Option<Peer>>>,
}

/// Guards a running handler: dropping it records the end.
struct RunningHandler<'h>(&'h Handlers, u64);

impl Drop for RunningHandler<'_> {
    fn drop(&mut self) {
        let mut log = lock(&self.0.log);
        log.running.remove(&self.1);
        log.ended += 1;
    }
}

impl RunningHandler<'_> {
    fn set_waiting(&self, is_waiting: bool) {
        if let Some(running) = lock(&self.0.log).running.get_mut(&self.1) {
            running.is_waiting = is_waiting;
        }
    }
}

impl Handlers {
    fn start(&self, n: u64) -> RunningHandler<'_> {
        lock(&self.log).start(n);
        RunningHandler(self, n)
    }

    async fn pass(&self, n: u64, ways: u8, gate: usize) -> u64 {
        let _running = self.start(n);
        for _ in 0..ways {
            yield_now().await;
        }
        self.shared.gate(gate).passed().await;
        result(n)
    }

    async fn call_back(&self, n: u64, depth: u8, gate: usize, context: &Context<'_>) -> Result<u64, ErrorObject> {
        let running = self.start(n);
        if n.is_multiple_of(3) {
            yield_now().await;
        }
        let peer = context.peer().ok_or_else(ErrorObject::internal_error)?;
        let api = ApiClient::new(peer.clone());
        let next = self.shared.number();
        running.set_waiting(true);
        let outcome = match depth {
            0 => api.gated(next, 1, gate).await.map_err(ErrorObject::from),
            depth if n.is_multiple_of(4) => api.alone_back(next, depth - 1, gate).await.map_err(ErrorObject::from),
            depth => api.back(next, depth - 1, gate).await.map_err(ErrorObject::from),
        };
        running.set_waiting(false);
        let value = outcome?;
        if value != result(next) {
            lock(&self.log).faults.push(format!("call {n} got {value} for call {next}"));
        }
        *self.kept_peer.lock().unwrap_or_else(PoisonError::into_inner) = Some(peer);
        Ok(result(n))
    }
}

impl Api for Handlers {
    async fn quick(&self, n: u64) -> u64 {
        let _running = self.start(n);
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
        let _running = self.start(n);
        for _ in 0..ways {
            yield_now().await;
        }
        // Panics without the hook, which would print the message.
        std::panic::resume_unwind(Box::new("on purpose"))
    }
    async fn unwritable(&self, n: u64, ways: u8) -> Unwritable {
        let _running = self.start(n);
        for _ in 0..ways {
            yield_now().await;
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
