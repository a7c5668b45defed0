//! A child process and the thread that waits for it.
//!
//! The standard library cannot wait for a child and be told something else at the same time. So the thread sleeps
//! until there is a reason to look, and from then on it looks again and again, less often with time.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// How long the thread waits before it looks again: first, and at most.
const FIRST: Duration = Duration::from_millis(1);
const LAST: Duration = Duration::from_millis(100);

/// A child process that a transport talks to. Made by [`child`](crate::transport::child), where the example is.
///
/// Clones are the same child. Dropping them does nothing to it: it lives as long as its transport.
#[derive(Clone)]
pub struct Child(Arc<ChildReaper>);

impl Child {
    pub(super) fn of(reaper: Arc<ChildReaper>) -> Self {
        Child(reaper)
    }

    /// The number that the system has given to the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// Sets how long the child may take to exit when its transport is closed; five seconds without this. To be
    /// set before that.
    pub fn set_shutdown_timeout(&self, grace: Duration) {
        self.0.state().grace = grace;
    }

    /// Has the child be killed, if it has not exited. Does not wait for it.
    pub fn kill(&self) {
        self.0.state().kill_at = Some(Instant::now());
        self.0.look();
    }

    /// Waits until the child has exited, by itself or not, and says how. May be asked several times.
    ///
    /// # Errors
    ///
    /// When the system cannot say.
    pub async fn wait(&self) -> io::Result<ExitStatus> {
        Wait { reaper: &self.0, key: None }.await
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What is known of a child.
pub(super) struct ChildReaper {
    id: u32,
    state: Mutex<State>,
    turn: Condvar,
}

struct State {
    grace: Duration,
    kill_at: Option<Instant>,
    /// Whether there is a reason to look whether it has exited, and a new one.
    is_due: bool,
    is_new: bool,
    end: Option<Result<ExitStatus, ErrorKind>>,
    waiting: BTreeMap<u64, Waker>,
    next: u64,
}

impl ChildReaper {
    /// Starts the child, and the thread first: there is no child that nobody waits for.
    pub(super) fn start(mut command: Command) -> io::Result<(Arc<Self>, ChildStdin, ChildStdout)> {
        let (give, take) = mpsc::channel::<(Arc<ChildReaper>, std::process::Child)>();
        thread::Builder::new().name("rpc-child".to_owned()).spawn(move || {
            if let Ok((reaper, child)) = take.recv() {
                reaper.guard(child);
            }
        })?;
        let mut child = command.spawn()?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let grace = Duration::from_secs(5);
        let (end, waiting) = (None, BTreeMap::new());
        let state = State { grace, kill_at: None, is_due: false, is_new: false, end, waiting, next: 0 };
        let reaper = Arc::new(ChildReaper { id: child.id(), state: Mutex::new(state), turn: Condvar::new() });
        // The thread does nothing but take it.
        let _ = give.send((reaper.clone(), child));
        let (stdin, stdout) = ends.ok_or_else(|| io::Error::other("the child has no pipes"))?;
        Ok((reaper, stdin, stdout))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the thread look whether the child has exited.
    pub(super) fn look(&self) {
        let mut state = self.state();
        state.is_due = true;
        state.is_new = true;
        drop(state);
        self.turn.notify_one();
    }

    /// Gives the child its grace, which begins when this is said first.
    pub(super) fn let_go(&self) {
        let mut state = self.state();
        if state.kill_at.is_none() {
            // A time too far away to be told never comes.
            state.kill_at = Instant::now().checked_add(state.grace);
        }
        drop(state);
        self.look();
    }

    /// What the thread does: it waits for the child, and kills it when it is time.
    fn guard(&self, mut child: std::process::Child) {
        let mut pause = FIRST;
        let end = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) => {}
                Err(error) => break Err(error.kind()),
            }
            if self.is_over() {
                // It fails when the child has exited by now.
                let _ = child.kill();
                break child.wait().map_err(|error| error.kind());
            }
            pause = if self.pause(pause) { FIRST } else { (pause * 2).min(LAST) };
        };
        let mut state = self.state();
        state.end = Some(end);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_values().for_each(Waker::wake);
    }

    fn is_over(&self) -> bool {
        self.state().kill_at.is_some_and(|time| Instant::now() >= time)
    }

    /// Waits until it is time to look again; says whether there is a new reason to.
    fn pause(&self, pause: Duration) -> bool {
        let mut state = self.state();
        while !state.is_due {
            state = self.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let wait = self.turn.wait_timeout_while(state, pause, |state| !state.is_new);
        let (mut state, _) = wait.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.is_new)
    }
}

impl fmt::Debug for ChildReaper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.state().end;
        f.debug_struct("Child").field("id", &self.id).field("end", &end).finish_non_exhaustive()
    }
}

/// Waits for the end of a child.
struct Wait<'w> {
    reaper: &'w ChildReaper,
    key: Option<u64>,
}

impl Future for Wait<'_> {
    type Output = io::Result<ExitStatus>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let mut state = self.reaper.state();
        if let Some(end) = state.end {
            return Poll::Ready(end.map_err(io::Error::from));
        }
        let is_first = self.key.is_none();
        let key = self.key.unwrap_or_else(|| {
            state.next += 1;
            state.next
        });
        let before = state.waiting.insert(key, waker);
        drop(state);
        drop(before);
        self.key = Some(key);
        if is_first {
            self.reaper.look();
        }
        Poll::Pending
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = self.reaper.state().waiting.remove(&key);
            drop(waker);
        }
    }
}
