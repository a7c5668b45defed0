//! Two live connections against a simple model of what may become of their calls: at each step chance decides
//! what happens next.
//!
//! `RPC_MODEL` says how many steps; without it they are few, and fewer if they take long. `RPC_MODEL_SEED` runs
//! the one run of this seed.

use rpc_core::client::{CloseReason, Timeout};
use rpc_core::connection::{Connection, Peer};
use rpc_core::profile::Profile;
use rpc_core::time::ManualTimer;
use rpc_core::transport::memory::{self, MemorySink, MemorySource};
use rpc_core::{CallError, ClientError, ErrorObject, Server};
use service::{ApiClient, ApiService, Book, Client, Common, Handlers, Unwritable, open, result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};
use tests::random::Random;
use tests::task::Task;
use wire::{Injected, Reader, Record, Tap, Writer};

#[path = "connection_model/service.rs"]
mod service;
#[path = "connection_model/wire.rs"]
mod wire;

const FEW: usize = 150_000;
const LONG: Duration = Duration::from_secs(8);
/// Steps of one run.
const STEPS: usize = 400;
/// More messages than come in one run.
const ENOUGH: usize = 100_000;
/// Calls that are open at once.
const MOST: usize = 24;

/// What became of one call, or of one member of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Became {
    Value(u64),
    Done,
    Error(i64),
    Closed,
    Timeout,
    Other(String),
}

impl From<u64> for Became {
    fn from(value: u64) -> Self {
        Became::Value(value)
    }
}

impl From<()> for Became {
    fn from((): ()) -> Self {
        Became::Done
    }
}

impl From<Unwritable> for Became {
    fn from(_: Unwritable) -> Self {
        Became::Other("a result that cannot be written".to_owned())
    }
}

fn became<T: Into<Became>, F: Into<CallError<ErrorObject>>>(end: Result<T, F>) -> Became {
    match end.map_err(|error| error.into().into_method()) {
        Ok(value) => value.into(),
        Err(Ok(object) | Err(ClientError::Rpc(object))) => Became::Error(object.code),
        Err(Err(ClientError::Closed(_))) => Became::Closed,
        Err(Err(ClientError::Timeout)) => Became::Timeout,
        Err(Err(ClientError::Protocol(error))) => Became::Other(error.to_string()),
        Err(Err(_)) => Became::Other("not sent".to_owned()),
    }
}

/// What a call comes to if nothing gets in its way.
#[derive(Clone, Copy, Debug)]
enum Due {
    Value(u64),
    /// Its handler panics, or its result cannot be written.
    Broken,
    /// It calls back.
    Nested(u64),
    Notification,
}

impl Due {
    fn is(self, became: &Became) -> bool {
        match (self, became) {
            (Due::Value(n) | Due::Nested(n), Became::Value(value)) => *value == result(n),
            (Due::Broken, Became::Error(code)) => *code == ErrorObject::INTERNAL_ERROR,
            (Due::Notification, Became::Done) => true,
            _ => false,
        }
    }
}

type Boxed = Pin<Box<dyn Future<Output = ()>>>;
type Kept<T> = Arc<Mutex<Option<T>>>;

/// A future that chance polls.
struct Job {
    task: Task<Boxed>,
    what: What,
}

enum What {
    Loop(usize, Kept<CloseReason>),
    Call { side: usize, due: Vec<Due>, became: Kept<Vec<Became>> },
}

fn take<T>(kept: &Kept<T>) -> Option<T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn noted<F: Future + 'static>(future: F) -> (Task<Boxed>, Kept<F::Output>) {
    let kept = Kept::default();
    let to = kept.clone();
    let boxed: Boxed = Box::pin(async move {
        let output = future.await;
        *to.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
    });
    (Task::new(boxed), kept)
}

/// Which disturbances a run has.
#[allow(clippy::struct_excessive_bools, reason = "each is drawn apart")]
struct Chances {
    few_wait: bool,
    garbage: bool,
    strays: bool,
    timeouts: bool,
    drops: bool,
    endings: bool,
    batches: bool,
}

struct Run {
    random: Random,
    chances: Chances,
    profile: Profile,
    common: Arc<Common>,
    timer: ManualTimer,
    peers: [Peer; 2],
    clients: [Client; 2],
    taps: [Tap; 2],
    /// Handles that outlive the handlers that they were made for.
    kept: [Arc<Mutex<Option<Peer>>>; 2],
    jobs: Vec<Job>,
    reasons: [Option<CloseReason>; 2],
    is_dropped: [bool; 2],
    is_stopped: [bool; 2],
    has_advanced: bool,
    has_garbage: bool,
    gate: usize,
    ended: usize,
}

type Built = (Peer, Task<Boxed>, Kept<CloseReason>, Kept<Peer>);

fn side(
    random: &mut Random,
    few: bool,
    profile: Profile,
    tap: &Tap,
    common: &Arc<Common>,
    end: (MemorySource, MemorySink),
) -> Built {
    let most = 1 + random.below(4);
    *open(&tap.book) = Book::of(most);
    let waiting = if few { 1 + random.below(6) } else { ENOUGH };
    let unsent = *random.pick(&[0, 64, 1 << 10, 1 << 20]);
    let kept = Arc::default();
    let handlers = Handlers { book: tap.book.clone(), common: common.clone(), kept: Arc::clone(&kept) };
    let builder = Connection::builder(Server::new(ApiService::new(handlers)));
    let builder = builder.profile(profile).max_running(most).max_queued(waiting).max_unsent_bytes(unsent);
    let (peer, connection) = builder.over((Reader(end.0, tap.clone()), Writer(end.1, tap.clone())));
    let (task, reason) = noted(connection.run());
    (peer, task, reason, kept)
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut chance = |times| random.once_in(times);
        let chances = Chances {
            few_wait: chance(4),
            garbage: chance(4),
            strays: chance(2),
            timeouts: chance(2),
            drops: chance(2),
            endings: chance(3),
            batches: chance(2),
        };
        let all = [Profile::native(), Profile::strict(), Profile::lsp(), Profile::mcp()];
        let profile = random.pick(&all).clone();
        let common = Arc::new(Common::default());
        let taps = [(); 2].map(|()| Tap { record: Arc::new(Mutex::new(Record::default())), book: Arc::default() });
        let (one, other) = memory::pair(*random.pick(&[0, 50, 300, 1 << 16]));
        let few = chances.few_wait;
        let (peer_0, task_0, reason_0, kept_0) = side(&mut random, few, profile.clone(), &taps[0], &common, one);
        let (peer_1, task_1, reason_1, kept_1) = side(&mut random, few, profile.clone(), &taps[1], &common, other);
        let timer = ManualTimer::new();
        let client = |peer: &Peer| ApiClient::new(Timeout::new(peer.clone(), timer.clone()).default_timeout(None));
        let gate = common.close_one();
        Run {
            random,
            chances,
            profile,
            clients: [client(&peer_0), client(&peer_1)],
            peers: [peer_0, peer_1],
            common,
            timer,
            taps,
            kept: [kept_0, kept_1],
            jobs: vec![
                Job { task: task_0, what: What::Loop(0, reason_0) },
                Job { task: task_1, what: What::Loop(1, reason_1) },
            ],
            reasons: [None, None],
            is_dropped: [false; 2],
            is_stopped: [false; 2],
            has_advanced: false,
            has_garbage: false,
            gate,
            ended: 0,
        }
    }

    fn is_over(&self, side: usize) -> bool {
        self.reasons[side].is_some() || self.is_dropped[side]
    }

    fn is_ending(&self) -> bool {
        (0..2).any(|side| self.is_over(side) || self.is_stopped[side])
    }

    /// Polls one job that was woken, whichever. False when there is none.
    fn poll(&mut self) -> Result<bool, String> {
        let woken: Vec<_> = (0..self.jobs.len()).filter(|at| self.jobs[*at].task.is_woken()).collect();
        if woken.is_empty() {
            return Ok(false);
        }
        let at = *self.random.pick(&woken);
        if let Poll::Ready(()) = self.jobs[at].task.step() {
            match self.jobs.swap_remove(at).what {
                What::Loop(side, reason) => {
                    let reason = take(&reason).ok_or("a loop without a reason")?;
                    if self.peers[side].close_reason().as_ref() != Some(&reason) {
                        return Err(format!(
                            "side {side} ended {reason:?}, closed {:?}",
                            self.peers[side].close_reason()
                        ));
                    }
                    self.reasons[side] = Some(reason);
                }
                What::Call { side, due, became } => {
                    let became = take(&became).ok_or("a call without an outcome")?;
                    if became.len() != due.len() {
                        return Err(format!("{became:?} for {due:?}"));
                    }
                    self.ended += 1;
                    for (due, became) in due.iter().zip(&became) {
                        self.judge(side, *due, became).map_err(|why| format!("{why}: {became:?} for {due:?}"))?;
                    }
                }
            }
        }
        Ok(true)
    }

    /// Whether this may become of a call of this side.
    fn judge(&self, side: usize, due: Due, became: &Became) -> Result<(), &'static str> {
        if due.is(became) {
            return Ok(());
        }
        let may_be = |is: bool, why| if is { Ok(()) } else { Err(why) };
        let is_nested = matches!(due, Due::Nested(_));
        match became {
            Became::Closed => may_be(self.peers[side].close_reason().is_some(), "the connection is open"),
            Became::Timeout => may_be(self.has_advanced, "no time has passed"),
            Became::Error(ErrorObject::SERVER_ERROR) => {
                let stops = self.is_stopped[1 - side] || (is_nested && self.is_stopped[side]);
                may_be(stops || self.chances.few_wait, "nothing is full and nobody stops")
            }
            Became::Error(ErrorObject::PARSE_ERROR | ErrorObject::INVALID_REQUEST) => {
                may_be(self.has_garbage, "nothing was unreadable")
            }
            Became::Error(ErrorObject::INTERNAL_ERROR) => {
                let is_closed = self.peers.iter().any(|peer| peer.close_reason().is_some());
                may_be(is_nested && is_closed, "nothing is broken")
            }
            Became::Other(_) if matches!(due, Due::Nested(_)) => Err("a wrong reply"),
            _ => Err("no possible outcome"),
        }
    }

    fn keep(&mut self, side: usize, due: Vec<Due>, future: impl Future<Output = Vec<Became>> + 'static) {
        let (task, became) = noted(future);
        self.jobs.push(Job { task, what: What::Call { side, due, became } });
    }

    /// A new call of one side.
    fn call(&mut self, side: usize) {
        let mut api = self.clients[side].clone();
        if self.random.once_in(4)
            && let Some(peer) = &*self.kept[side].lock().unwrap_or_else(PoisonError::into_inner)
        {
            api = ApiClient::new(Timeout::new(peer.clone(), self.timer.clone()).default_timeout(None));
        }
        let (n, ways, gate) = (self.common.number(), u8::try_from(self.random.below(3)).unwrap_or(0), self.gate);
        let depth = u8::try_from(self.random.below(4)).unwrap_or(0);
        let timeout = (self.chances.timeouts && self.random.once_in(3)).then_some(Duration::from_secs(1));
        let own = self.random.once_in(8).then(|| format!("own-{n}"));
        let numeric = self.random.once_in(2);
        macro_rules! call {
            ($due:expr, $call:expr) => {{
                let mut call = $call.timeout(timeout);
                if let Some(own) = own {
                    call = if numeric { call.id(1_000_000 + n) } else { call.id(&*own) };
                }
                let future = call.into_future();
                self.keep(side, vec![$due], async move { vec![became(future.await)] });
            }};
        }
        match self.random.below(16) {
            0..3 => call!(Due::Value(n), api.quick(n)),
            3..6 => call!(Due::Value(n), api.gated(n, ways, gate)),
            6..9 => call!(Due::Nested(n), api.back(n, depth, gate)),
            9 => call!(Due::Value(n), api.alone(n, ways, gate)),
            10 => call!(Due::Nested(n), api.alone_back(n, depth, gate)),
            11 => call!(Due::Broken, api.panics(n, ways)),
            12 => call!(Due::Broken, api.unwritable(n, ways)),
            13 if self.chances.batches && self.profile.batches => self.batch(side, timeout),
            13 | 14 => {
                let future = api.note(n, ways, gate).into_future();
                self.keep(side, vec![Due::Notification], async move { vec![became(future.await)] });
            }
            _ => {
                let future = api.note_alone(n, ways, gate).into_future();
                self.keep(side, vec![Due::Notification], async move { vec![became(future.await)] });
            }
        }
    }

    fn batch(&mut self, side: usize, timeout: Option<Duration>) {
        let api = self.clients[side].clone();
        let [a, b, c, d] = [(); 4].map(|()| self.common.number());
        let gate = self.gate;
        let whole = |error: ClientError, count| vec![became::<(), ClientError>(Err(error)); count];
        macro_rules! batch {
            ($members:expr, ($($name:ident $due:expr),+)) => {{
                let due = vec![$($due),+];
                let count = due.len();
                let future = api.batch($members).timeout(timeout).into_future();
                self.keep(side, due, async move {
                    match future.await {
                        Ok(($($name,)+)) => vec![$(became($name)),+],
                        Err(error) => whole(error, count),
                    }
                });
            }};
        }
        match self.random.below(5) {
            0 => batch!((api.quick(a), api.gated(b, 1, gate)), (x Due::Value(a), y Due::Value(b))),
            1 => batch!(
                (api.gated(a, 0, gate), api.note(b, 0, gate), api.back(c, 1, gate), api.quick(d)),
                (w Due::Value(a), x Due::Notification, y Due::Nested(c), z Due::Value(d))
            ),
            2 => batch!(
                (api.panics(a, 1), api.alone(b, 0, gate), api.unwritable(c, 1)),
                (x Due::Broken, y Due::Value(b), z Due::Broken)
            ),
            3 => batch!((api.note(a, 0, gate), api.note_alone(b, 1, gate)), (x Due::Notification, y Due::Notification)),
            _ => batch!(
                (api.quick(a).id(format!("own-{a}").as_str()), api.back(b, 0, gate), api.gated(c, 1, gate).id(2_000_000 + c)),
                (x Due::Value(a), y Due::Nested(b), z Due::Value(c))
            ),
        }
    }

    /// Something that the other side did not send.
    fn inject(&mut self, side: usize) {
        let [n, other] = [(); 2].map(|()| self.common.number());
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
            0 => vec![cancel("\"nobody\""), cancel("123456789")],
            1 => vec![r#"{"jsonrpc":"2.0","result":1,"id":123456789}"#.to_owned()],
            2 => vec![r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":"nobody"}"#.to_owned()],
            3 => vec![call(n, id), call(other, id)],
            4 => vec![call(n, id), call(other, id), cancel(id)],
            _ => vec![format!(r#"[{},{{"jsonrpc":"2.0","result":1,"id":"nobody"}}]"#, call(n, id))],
        };
        if self.chances.garbage && self.random.once_in(3) {
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

    /// Ends something.
    fn end(&mut self, side: usize) {
        match self.random.below(6) {
            0 | 1 => {
                self.is_stopped[side] = true;
                self.peers[side].shutdown();
            }
            2 => {
                if let Some(at) = self.jobs.iter().position(|job| matches!(job.what, What::Loop(at, _) if at == side)) {
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
            0..60 if self.jobs.len() < MOST => self.call(side),
            60..70 if self.chances.drops => {
                let calls: Vec<_> =
                    (0..self.jobs.len()).filter(|at| matches!(self.jobs[*at].what, What::Call { .. })).collect();
                if !calls.is_empty() {
                    let at = *self.random.pick(&calls);
                    drop(self.jobs.swap_remove(at));
                }
            }
            70..72 if self.chances.timeouts => {
                self.has_advanced = true;
                self.timer.advance(Duration::from_millis(600));
            }
            72..80 if self.chances.strays => self.inject(side),
            80..90 => {
                self.common.gate(self.gate).open();
                self.gate = self.common.close_one();
            }
            90..93 => self.settle()?,
            93 if self.chances.endings => self.end(side),
            _ => {}
        }
        Ok(())
    }

    /// Opens every gate and runs until nothing can go on: then nothing may be left open.
    fn settle(&mut self) -> Result<(), String> {
        self.common.open_all();
        for _ in 0..100_000 {
            if !self.poll()? {
                break;
            }
        }
        if self.jobs.iter().any(|job| job.task.is_woken()) {
            return Err("it goes on without end".to_owned());
        }
        self.gate = self.common.close_one();
        let open: Vec<_> = self
            .jobs
            .iter()
            .filter_map(|job| match &job.what {
                What::Call { side, due, .. } => Some(format!("{due:?} of side {side}")),
                What::Loop(side, _) => self.is_ending().then(|| format!("the loop of side {side}")),
            })
            .collect();
        if !open.is_empty() {
            return Err(format!("stuck: {}", open.join(", ")));
        }
        if let Some(peer) = self.peers.iter().find(|peer| peer.pending_calls() > 0) {
            return Err(format!("calls that nobody waits for: {peer:?}"));
        }
        Ok(())
    }

    /// Ends the run, and says all that is wrong.
    fn finish(&mut self) -> Result<(), String> {
        self.settle()?;
        let side = self.random.below(2);
        let both = self.random.once_in(2);
        for side in [side, 1 - side].into_iter().take(1 + usize::from(both)) {
            self.is_stopped[side] = true;
            self.peers[side].shutdown();
        }
        self.settle()?;
        let mut faults = Vec::new();
        for side in 0..2 {
            let is_graceful = matches!(self.reasons[side], Some(CloseReason::ByUs | CloseReason::ByPeer));
            let is_whole = is_graceful && !self.taps[side].record().has_failed;
            faults.extend(self.taps[side].audit(is_whole, self.profile.cancelled.is_some()));
            open(&self.taps[side].book).audit();
            faults.append(&mut open(&self.taps[side].book).faults);
        }
        if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
    }
}

/// One run. How many calls ended.
fn run(seed: u64) -> usize {
    let mut run = Run::new(seed);
    let mut end = Ok(());
    for _ in 0..STEPS {
        end = run.step();
        if end.is_err() {
            break;
        }
    }
    if let Err(error) = end.and_then(|()| run.finish()) {
        for (side, tap) in run.taps.iter().enumerate() {
            println!("side {side}:\n{}", tap.record().text.join("\n"));
        }
        panic!("RPC_MODEL_SEED={seed}\n{error}");
    }
    run.ended
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

#[test]
fn whatever_happens_every_call_ends_as_it_may() {
    if let Some(seed) = number("RPC_MODEL_SEED") {
        run(seed);
        return;
    }
    let asked = number("RPC_MODEL").map(|steps| usize::try_from(steps).unwrap_or(usize::MAX));
    let start = Instant::now();
    let (mut seed, mut steps, mut ended) = (0, 0, 0);
    while steps < asked.unwrap_or(FEW) && (asked.is_some() || start.elapsed() < LONG) {
        ended += run(seed);
        seed += 1;
        steps += STEPS;
    }
    println!("{steps} steps in {:?}: {ended} calls ended", start.elapsed());
    assert!(ended * 20 > steps, "{ended} calls in {steps} steps");
}
