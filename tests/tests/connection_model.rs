//! Two live connections checked against a simple model of the possible outcomes of their calls. Each step is random.
//!
//! `RPC_MODEL` sets the number of steps: 150,000 by default, fewer if they take more than 8 s. `RPC_MODEL_SEED` repeats
//! the run of one seed.

use rpc_core::client::{CloseReason, Timeout};
use rpc_core::connection::{Connection, Peer};
use rpc_core::profile::Profile;
use rpc_core::time::ManualTimer;
use rpc_core::transport::memory::{self, MemorySink, MemorySource};
use rpc_core::{CallError, ClientError, ErrorObject, Server};
use service::{ApiClient, ApiService, Client, HandlerLog, Handlers, Shared, Unwritable, lock, result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};
use tests::random::Random;
use tests::task::Task;
use wire::{Injected, Record, Tap, TappedSink, TappedSource};

#[path = "connection_model/service.rs"]
mod service;
#[path = "connection_model/wire.rs"]
mod wire;

const DEFAULT_STEPS: usize = 150_000;
const MAX_DURATION: Duration = Duration::from_secs(8);
/// The steps of one run.
const STEPS_PER_RUN: usize = 400;
/// A queue limit that no run reaches.
const UNREACHED: usize = 100_000;
/// The limit for the calls of both connections that are pending at once.
const MAX_CALLS: usize = 24;

/// The outcome of a call or of a member of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CallOutcome {
    Value(u64),
    Done,
    Error(i64),
    Closed,
    Timeout,
    Other(String),
}

impl From<u64> for CallOutcome {
    fn from(value: u64) -> Self {
        CallOutcome::Value(value)
    }
}

impl From<()> for CallOutcome {
    fn from((): ()) -> Self {
        CallOutcome::Done
    }
}

impl From<Unwritable> for CallOutcome {
    fn from(_: Unwritable) -> Self {
        CallOutcome::Other("a result that cannot be serialised".to_owned())
    }
}

fn outcome<T: Into<CallOutcome>, F: Into<CallError<ErrorObject>>>(result: Result<T, F>) -> CallOutcome {
    match result.map_err(|error| error.into().into_method()) {
        Ok(value) => value.into(),
        Err(Ok(object) | Err(ClientError::Rpc(object))) => CallOutcome::Error(object.code),
        Err(Err(ClientError::Closed(_))) => CallOutcome::Closed,
        Err(Err(ClientError::Timeout)) => CallOutcome::Timeout,
        Err(Err(ClientError::Protocol(error))) => CallOutcome::Other(error.to_string()),
        Err(Err(_)) => CallOutcome::Other("not sent".to_owned()),
    }
}

/// The outcome of a call that nothing disturbs.
#[derive(Clone, Copy, Debug)]
enum Expected {
    Value(u64),
    /// -32603: the handler panics, or its result cannot be serialised.
    InternalError,
    /// A value, from a handler that calls the peer.
    Nested(u64),
    Notification,
}

impl Expected {
    fn is(self, outcome: &CallOutcome) -> bool {
        match (self, outcome) {
            (Expected::Value(n) | Expected::Nested(n), CallOutcome::Value(value)) => *value == result(n),
            (Expected::InternalError, CallOutcome::Error(code)) => *code == ErrorObject::INTERNAL_ERROR,
            (Expected::Notification, CallOutcome::Done) => true,
            _ => false,
        }
    }
}

type BoxedTask = Task<Pin<Box<dyn Future<Output = ()>>>>;
type Slot<T> = Arc<Mutex<Option<T>>>;

/// A future that random steps poll.
struct Job {
    task: BoxedTask,
    kind: JobKind,
}

enum JobKind {
    Connection(usize, Slot<CloseReason>),
    Call { side: usize, expected: Vec<Expected>, outcome: Slot<Vec<CallOutcome>> },
}

fn take<T>(slot: &Slot<T>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn with_slot<F: Future + 'static>(future: F) -> (BoxedTask, Slot<F::Output>) {
    let slot = Slot::default();
    let output_slot = slot.clone();
    let boxed: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async move {
        let output = future.await;
        *output_slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
    });
    (Task::new(boxed), slot)
}

/// The disturbances of a run.
#[allow(clippy::struct_excessive_bools, reason = "each is drawn independently")]
struct Disturbances {
    small_queue: bool,
    garbage: bool,
    stray_messages: bool,
    timeouts: bool,
    drops: bool,
    closing: bool,
    batches: bool,
}

struct Run {
    random: Random,
    disturbances: Disturbances,
    profile: Profile,
    shared: Arc<Shared>,
    timer: ManualTimer,
    peers: [Peer; 2],
    clients: [Client; 2],
    taps: [Tap; 2],
    /// Peers that outlive the handlers that stored them.
    kept_peers: [Arc<Mutex<Option<Peer>>>; 2],
    jobs: Vec<Job>,
    reasons: [Option<CloseReason>; 2],
    is_dropped: [bool; 2],
    is_shut_down: [bool; 2],
    has_advanced: bool,
    has_garbage: bool,
    gate: usize,
    completed: usize,
}

type Side = (Peer, BoxedTask, Slot<CloseReason>, Slot<Peer>);

fn side(
    random: &mut Random,
    small_queue: bool,
    profile: Profile,
    tap: &Tap,
    shared: &Arc<Shared>,
    end: (MemorySource, MemorySink),
) -> Side {
    let max_running = 1 + random.below(4);
    *lock(&tap.log) = HandlerLog::new(max_running);
    let max_queued = if small_queue { 1 + random.below(6) } else { UNREACHED };
    let max_unsent = *random.pick(&[0, 64, 1 << 10, 1 << 20]);
    let kept_peer = Arc::default();
    let handlers = Handlers { log: tap.log.clone(), shared: shared.clone(), kept_peer: Arc::clone(&kept_peer) };
    let builder = Connection::builder(Server::new(ApiService::new(handlers)));
    let builder = builder.profile(profile).max_running(max_running).max_queued(max_queued).max_unsent_bytes(max_unsent);
    let (peer, connection) = builder.over((TappedSource(end.0, tap.clone()), TappedSink(end.1, tap.clone())));
    let (task, reason) = with_slot(connection.run());
    (peer, task, reason, kept_peer)
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut chance = |times| random.once_in(times);
        let disturbances = Disturbances {
            small_queue: chance(4),
            garbage: chance(4),
            stray_messages: chance(2),
            timeouts: chance(2),
            drops: chance(2),
            closing: chance(3),
            batches: chance(2),
        };
        let all = [Profile::native(), Profile::strict(), Profile::lsp(), Profile::mcp()];
        let profile = random.pick(&all).clone();
        let shared = Arc::new(Shared::default());
        let taps = [(); 2].map(|()| Tap { record: Arc::new(Mutex::new(Record::default())), log: Arc::default() });
        let (one, other) = memory::pair(*random.pick(&[0, 50, 300, 1 << 16]));
        let small = disturbances.small_queue;
        let (peer_0, task_0, reason_0, kept_peer_0) = side(&mut random, small, profile.clone(), &taps[0], &shared, one);
        let (peer_1, task_1, reason_1, kept_peer_1) =
            side(&mut random, small, profile.clone(), &taps[1], &shared, other);
        let timer = ManualTimer::new();
        let client = |peer: &Peer| ApiClient::new(Timeout::new(peer.clone(), timer.clone()).default_timeout(None));
        let gate = shared.new_gate();
        Run {
            random,
            disturbances,
            profile,
            clients: [client(&peer_0), client(&peer_1)],
            peers: [peer_0, peer_1],
            shared,
            timer,
            taps,
            kept_peers: [kept_peer_0, kept_peer_1],
            jobs: vec![
                Job { task: task_0, kind: JobKind::Connection(0, reason_0) },
                Job { task: task_1, kind: JobKind::Connection(1, reason_1) },
            ],
            reasons: [None, None],
            is_dropped: [false; 2],
            is_shut_down: [false; 2],
            has_advanced: false,
            has_garbage: false,
            gate,
            completed: 0,
        }
    }

    fn is_over(&self, side: usize) -> bool {
        self.reasons[side].is_some() || self.is_dropped[side]
    }

    fn is_ending(&self) -> bool {
        (0..2).any(|side| self.is_over(side) || self.is_shut_down[side])
    }

    /// Polls a random woken job. Returns `false` if no job is woken.
    fn poll(&mut self) -> Result<bool, String> {
        let woken: Vec<_> = (0..self.jobs.len()).filter(|at| self.jobs[*at].task.is_woken()).collect();
        if woken.is_empty() {
            return Ok(false);
        }
        let at = *self.random.pick(&woken);
        if let Poll::Ready(()) = self.jobs[at].task.step() {
            match self.jobs.swap_remove(at).kind {
                JobKind::Connection(side, reason) => {
                    let reason = take(&reason).ok_or("a connection without a close reason")?;
                    if self.peers[side].close_reason().as_ref() != Some(&reason) {
                        return Err(format!(
                            "side {side} returned {reason:?}, but its handle has {:?}",
                            self.peers[side].close_reason()
                        ));
                    }
                    self.reasons[side] = Some(reason);
                }
                JobKind::Call { side, expected, outcome } => {
                    let outcome = take(&outcome).ok_or("a call without an outcome")?;
                    if outcome.len() != expected.len() {
                        return Err(format!("{outcome:?} for {expected:?}"));
                    }
                    self.completed += 1;
                    for (expected, outcome) in expected.iter().zip(&outcome) {
                        self.check_outcome(side, *expected, outcome)
                            .map_err(|fault| format!("{fault}: {outcome:?} for {expected:?}"))?;
                    }
                }
            }
        }
        Ok(true)
    }

    /// Checks that a call of this side may have this outcome.
    fn check_outcome(&self, side: usize, expected: Expected, outcome: &CallOutcome) -> Result<(), &'static str> {
        if expected.is(outcome) {
            return Ok(());
        }
        let check = |is_possible: bool, fault| if is_possible { Ok(()) } else { Err(fault) };
        let is_nested = matches!(expected, Expected::Nested(_));
        match outcome {
            CallOutcome::Closed => check(self.peers[side].close_reason().is_some(), "the connection is open"),
            CallOutcome::Timeout => check(self.has_advanced, "no time has passed"),
            CallOutcome::Error(ErrorObject::SERVER_ERROR) => {
                let is_closing = self.is_shut_down[1 - side] || (is_nested && self.is_shut_down[side]);
                check(is_closing || self.disturbances.small_queue, "no queue is full and no side shuts down")
            }
            CallOutcome::Error(ErrorObject::PARSE_ERROR | ErrorObject::INVALID_REQUEST) => {
                check(self.has_garbage, "no message was invalid")
            }
            CallOutcome::Error(ErrorObject::INTERNAL_ERROR) => {
                let is_closed = self.peers.iter().any(|peer| peer.close_reason().is_some());
                check(is_nested && is_closed, "no handler fails")
            }
            CallOutcome::Other(_) if matches!(expected, Expected::Nested(_)) => Err("a wrong response"),
            _ => Err("an impossible outcome"),
        }
    }

    fn add_call(
        &mut self,
        side: usize,
        expected: Vec<Expected>,
        future: impl Future<Output = Vec<CallOutcome>> + 'static,
    ) {
        let (task, outcome) = with_slot(future);
        self.jobs.push(Job { task, kind: JobKind::Call { side, expected, outcome } });
    }

    /// Makes a random call of one side.
    fn call(&mut self, side: usize) {
        let mut api = self.clients[side].clone();
        if self.random.once_in(4)
            && let Some(peer) = &*self.kept_peers[side].lock().unwrap_or_else(PoisonError::into_inner)
        {
            api = ApiClient::new(Timeout::new(peer.clone(), self.timer.clone()).default_timeout(None));
        }
        let (n, ways, gate) = (self.shared.number(), u8::try_from(self.random.below(3)).unwrap_or(0), self.gate);
        let depth = u8::try_from(self.random.below(4)).unwrap_or(0);
        let timeout = (self.disturbances.timeouts && self.random.once_in(3)).then_some(Duration::from_secs(1));
        let custom_id = self.random.once_in(8).then(|| format!("own-{n}"));
        let numeric = self.random.once_in(2);
        macro_rules! call {
            ($expected:expr, $call:expr) => {{
                let mut call = $call.timeout(timeout);
                if let Some(custom_id) = custom_id {
                    call = if numeric { call.id(1_000_000 + n) } else { call.id(&*custom_id) };
                }
                let future = call.into_future();
                self.add_call(side, vec![$expected], async move { vec![outcome(future.await)] });
            }};
        }
        match self.random.below(16) {
            0..3 => call!(Expected::Value(n), api.quick(n)),
            3..6 => call!(Expected::Value(n), api.gated(n, ways, gate)),
            6..9 => call!(Expected::Nested(n), api.back(n, depth, gate)),
            9 => call!(Expected::Value(n), api.alone(n, ways, gate)),
            10 => call!(Expected::Nested(n), api.alone_back(n, depth, gate)),
            11 => call!(Expected::InternalError, api.panics(n, ways)),
            12 => call!(Expected::InternalError, api.unwritable(n, ways)),
            13 if self.disturbances.batches && self.profile.batches => self.batch(side, timeout),
            13 | 14 => {
                let future = api.note(n, ways, gate).into_future();
                self.add_call(side, vec![Expected::Notification], async move { vec![outcome(future.await)] });
            }
            _ => {
                let future = api.note_alone(n, ways, gate).into_future();
                self.add_call(side, vec![Expected::Notification], async move { vec![outcome(future.await)] });
            }
        }
    }

    fn batch(&mut self, side: usize, timeout: Option<Duration>) {
        let api = self.clients[side].clone();
        let [a, b, c, d] = [(); 4].map(|()| self.shared.number());
        let gate = self.gate;
        let whole = |error: ClientError, count| vec![outcome::<(), ClientError>(Err(error)); count];
        macro_rules! batch {
            ($members:expr, ($($name:ident $expected:expr),+)) => {{
                let expected = vec![$($expected),+];
                let count = expected.len();
                let future = api.batch($members).timeout(timeout).into_future();
                self.add_call(side, expected, async move {
                    match future.await {
                        Ok(($($name,)+)) => vec![$(outcome($name)),+],
                        Err(error) => whole(error, count),
                    }
                });
            }};
        }
        match self.random.below(5) {
            0 => batch!((api.quick(a), api.gated(b, 1, gate)), (x Expected::Value(a), y Expected::Value(b))),
            1 => batch!(
                (api.gated(a, 0, gate), api.note(b, 0, gate), api.back(c, 1, gate), api.quick(d)),
                (w Expected::Value(a), x Expected::Notification, y Expected::Nested(c), z Expected::Value(d))
            ),
            2 => batch!(
                (api.panics(a, 1), api.alone(b, 0, gate), api.unwritable(c, 1)),
                (x Expected::InternalError, y Expected::Value(b), z Expected::InternalError)
            ),
            3 => {
                batch!(
                    (api.note(a, 0, gate), api.note_alone(b, 1, gate)),
                    (x Expected::Notification, y Expected::Notification)
                );
            }
            _ => batch!(
                (api.quick(a).id(format!("own-{a}").as_str()), api.back(b, 0, gate), api.gated(c, 1, gate).id(2_000_000 + c)),
                (x Expected::Value(a), y Expected::Nested(b), z Expected::Value(c))
            ),
        }
    }

    /// Injects a random message that the peer did not send.
    fn inject(&mut self, side: usize) {
        let [n, other] = [(); 2].map(|()| self.shared.number());
        let gate = self.gate;
        let call = |n: u64, id: &str| {
            format!(r#"{{"jsonrpc":"2.0","method":"gated","params":{{"n":{n},"ways":1,"gate":{gate}}},"id":{id}}}"#)
        };
        let cancel = |id: &str| {
            self.profile.cancel.as_ref().map_or_else(String::new, |cancel| {
                format!(r#"{{"jsonrpc":"2.0","method":"{}","params":{{"{}":{id}}}}}"#, cancel.method, cancel.id)
            })
        };
        let id = format!("\"twice-{n}\"");
        let id = id.as_str();
        let mut messages = match self.random.below(6) {
            0 => vec![cancel("\"unknown\""), cancel("123456789")],
            1 => vec![r#"{"jsonrpc":"2.0","result":1,"id":123456789}"#.to_owned()],
            2 => vec![r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":"unknown"}"#.to_owned()],
            3 => vec![call(n, id), call(other, id)],
            4 => vec![call(n, id), call(other, id), cancel(id)],
            _ => vec![format!(r#"[{},{{"jsonrpc":"2.0","result":1,"id":"unknown"}}]"#, call(n, id))],
        };
        if self.disturbances.garbage && self.random.once_in(3) {
            self.has_garbage = true;
            let garbage = ["{", "[]", "7", "[1]", r#"{"jsonrpc":"2.0","method":7}"#, r#"{"jsonrpc":"2.0","id":"odd"}"#];
            messages.push((*self.random.pick(&garbage)).to_owned());
        }
        if !self.profile.batches {
            messages.retain(|message| !message.starts_with('['));
        }
        for message in messages {
            self.taps[side].inject(Injected::Message(message));
        }
    }

    /// Closes one side in a random way.
    fn close(&mut self, side: usize) {
        match self.random.below(6) {
            0 | 1 => {
                self.is_shut_down[side] = true;
                self.peers[side].shutdown();
            }
            2 => {
                if let Some(at) =
                    self.jobs.iter().position(|job| matches!(job.kind, JobKind::Connection(at, _) if at == side))
                {
                    self.is_dropped[side] = true;
                    drop(self.jobs.swap_remove(at));
                }
            }
            3 => self.taps[side].inject(Injected::End),
            4 => self.taps[side].inject(Injected::Failure),
            _ => self.taps[side].record().failing_writes = true,
        }
    }

    fn step(&mut self) -> Result<(), String> {
        if !self.random.once_in(3) && self.poll()? {
            return Ok(());
        }
        let side = self.random.below(2);
        match self.random.below(100) {
            0..60 if self.jobs.len() < MAX_CALLS => self.call(side),
            60..70 if self.disturbances.drops => {
                let calls: Vec<_> =
                    (0..self.jobs.len()).filter(|at| matches!(self.jobs[*at].kind, JobKind::Call { .. })).collect();
                if !calls.is_empty() {
                    let at = *self.random.pick(&calls);
                    drop(self.jobs.swap_remove(at));
                }
            }
            70..72 if self.disturbances.timeouts => {
                self.has_advanced = true;
                self.timer.advance(Duration::from_millis(600));
            }
            72..80 if self.disturbances.stray_messages => self.inject(side),
            80..90 => {
                self.shared.gate(self.gate).open();
                self.gate = self.shared.new_gate();
            }
            90..93 => self.settle()?,
            93 if self.disturbances.closing => self.close(side),
            _ => {}
        }
        Ok(())
    }

    /// Opens every gate and polls until no job is woken. No call may be pending then.
    fn settle(&mut self) -> Result<(), String> {
        self.shared.open_all();
        for _ in 0..100_000 {
            if !self.poll()? {
                break;
            }
        }
        if self.jobs.iter().any(|job| job.task.is_woken()) {
            return Err("a job keeps waking itself".to_owned());
        }
        self.gate = self.shared.new_gate();
        let open: Vec<_> = self
            .jobs
            .iter()
            .filter_map(|job| match &job.kind {
                JobKind::Call { side, expected, .. } => Some(format!("{expected:?} of side {side}")),
                JobKind::Connection(side, _) => self.is_ending().then(|| format!("the connection of side {side}")),
            })
            .collect();
        if !open.is_empty() {
            return Err(format!("stuck: {}", open.join(", ")));
        }
        if let Some(peer) = self.peers.iter().find(|peer| peer.pending_calls() > 0) {
            return Err(format!("pending calls without a caller: {peer:?}"));
        }
        Ok(())
    }

    /// Shuts the connections down and returns all faults.
    fn finish(&mut self) -> Result<(), String> {
        self.settle()?;
        let side = self.random.below(2);
        let both = self.random.once_in(2);
        for side in [side, 1 - side].into_iter().take(1 + usize::from(both)) {
            self.is_shut_down[side] = true;
            self.peers[side].shutdown();
        }
        self.settle()?;
        let mut faults = Vec::new();
        for side in 0..2 {
            let is_graceful = matches!(self.reasons[side], Some(CloseReason::ByUs | CloseReason::ByPeer));
            let is_complete = is_graceful && !self.taps[side].record().has_failed;
            faults.extend(self.taps[side].check(is_complete, self.profile.cancelled.is_some()));
            lock(&self.taps[side].log).check();
            faults.append(&mut lock(&self.taps[side].log).faults);
        }
        if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
    }
}

/// Makes one run and returns the number of completed calls.
fn run(seed: u64) -> usize {
    let mut run = Run::new(seed);
    let mut result = Ok(());
    for _ in 0..STEPS_PER_RUN {
        result = run.step();
        if result.is_err() {
            break;
        }
    }
    if let Err(error) = result.and_then(|()| run.finish()) {
        for (side, tap) in run.taps.iter().enumerate() {
            println!("side {side}:\n{}", tap.record().text.join("\n"));
        }
        panic!("RPC_MODEL_SEED={seed}\n{error}");
    }
    run.completed
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}

#[test]
fn every_call_has_a_possible_outcome_whatever_happens() {
    if let Some(seed) = number("RPC_MODEL_SEED") {
        run(seed);
        return;
    }
    let requested = number("RPC_MODEL").map(|steps| usize::try_from(steps).unwrap_or(usize::MAX));
    let start = Instant::now();
    let (mut seed, mut steps, mut completed) = (0, 0, 0);
    while steps < requested.unwrap_or(DEFAULT_STEPS) && (requested.is_some() || start.elapsed() < MAX_DURATION) {
        completed += run(seed);
        seed += 1;
        steps += STEPS_PER_RUN;
    }
    println!("{steps} steps in {:?}: {completed} calls completed", start.elapsed());
    assert!(completed * 20 > steps, "{completed} calls in {steps} steps");
}
