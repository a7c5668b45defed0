//! A child process, and the thread that waits for it.
//!
//! The standard library cannot kill a child during a wait, without unsafe code. The thread therefore sleeps
//! until there is a reason to check for the exit, and polls from then on, at increasing intervals.

use crate::limits::CHILD_SHUTDOWN_TIMEOUT;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// The first and the longest interval between two checks. Each interval is twice the previous one.
const MIN_INTERVAL: Duration = Duration::from_millis(1);
const MAX_INTERVAL: Duration = Duration::from_millis(100);

/// A handle to the child process of a transport. Created by [`child`](crate::transport::child).
///
/// Clones refer to the same child. Dropping a handle does not affect the child.
#[derive(Clone)]
pub struct Child(Arc<ChildReaper>);

impl Child {
    pub(super) fn new(reaper: Arc<ChildReaper>) -> Self {
        Child(reaper)
    }

    /// Returns the process id that the operating system assigned.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// Sets the time from the close of the transport to the kill of a child that has not exited: 5 s by
    /// default. It has no effect after the close.
    pub fn set_shutdown_timeout(&self, timeout: Duration) {
        self.0.state().shutdown_timeout = timeout;
    }

    /// Kills the child if it has not exited. Does not wait for the exit.
    pub fn kill(&self) {
        self.0.state().kill_at = Some(Instant::now());
        self.0.check_exit();
    }

    /// Waits until the child has exited, and returns its status. Can be called repeatedly.
    ///
    /// # Errors
    ///
    /// Fails if the operating system cannot report the status.
    pub async fn wait(&self) -> io::Result<ExitStatus> {
        Wait { reaper: &self.0, waker_key: None }.await
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The state that a child's handles, its transport and its thread share.
pub(super) struct ChildReaper {
    id: u32,
    state: Mutex<State>,
    check_requested: Condvar,
}

struct State {
    shutdown_timeout: Duration,
    kill_at: Option<Instant>,
    is_polling: bool,
    /// Makes the thread check at once, and its interval start over.
    is_check_requested: bool,
    exit: Option<Result<ExitStatus, ErrorKind>>,
    wakers: BTreeMap<u64, Waker>,
    next_key: u64,
}

impl ChildReaper {
    /// Spawns the thread and then the child, so that no child is left without its thread.
    pub(super) fn spawn(mut command: Command) -> io::Result<(Arc<Self>, ChildStdin, ChildStdout)> {
        let (sender, receiver) = mpsc::channel::<(Arc<ChildReaper>, std::process::Child)>();
        thread::Builder::new().name("rpc-core child".into()).spawn(move || {
            if let Ok((reaper, child)) = receiver.recv() {
                reaper.reap(child);
            }
        })?;
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let state = Mutex::new(State {
            shutdown_timeout: CHILD_SHUTDOWN_TIMEOUT,
            kill_at: None,
            is_polling: false,
            is_check_requested: false,
            exit: None,
            wakers: BTreeMap::new(),
            next_key: 0,
        });
        let reaper = Arc::new(ChildReaper { id: child.id(), state, check_requested: Condvar::new() });
        // This cannot fail: the thread waits for the message.
        let _ = sender.send((reaper.clone(), child));
        let (stdin, stdout) = pipes.ok_or_else(|| io::Error::other("the child has no pipes"))?;
        Ok((reaper, stdin, stdout))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the thread check for the exit, now and until the child has exited.
    pub(super) fn check_exit(&self) {
        let mut state = self.state();
        state.is_polling = true;
        state.is_check_requested = true;
        drop(state);
        self.check_requested.notify_one();
    }

    /// Starts the shutdown timeout, if it has not started.
    pub(super) fn begin_shutdown(&self) {
        let mut state = self.state();
        if state.kill_at.is_none() {
            // A deadline that `Instant` cannot represent is never reached.
            state.kill_at = Instant::now().checked_add(state.shutdown_timeout);
        }
        drop(state);
        self.check_exit();
    }

    /// Waits for the exit of the child, and kills it at `kill_at`. Runs on the thread.
    fn reap(&self, mut child: std::process::Child) {
        let mut interval = MIN_INTERVAL;
        let exit = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) => {}
                Err(error) => break Err(error.kind()),
            }
            if self.is_kill_due() {
                // This fails if the child has just exited.
                let _ = child.kill();
                break child.wait().map_err(|error| error.kind());
            }
            interval = if self.sleep(interval) { MIN_INTERVAL } else { (interval * 2).min(MAX_INTERVAL) };
        };
        let mut state = self.state();
        state.exit = Some(exit);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        wakers.into_values().for_each(Waker::wake);
    }

    fn is_kill_due(&self) -> bool {
        self.state().kill_at.is_some_and(|time| Instant::now() >= time)
    }

    /// Sleeps until a check is requested (`true`) or, once polling, for `interval` (`false`).
    fn sleep(&self, interval: Duration) -> bool {
        let mut state = self.state();
        while !state.is_polling {
            state = self.check_requested.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let slept = self.check_requested.wait_timeout_while(state, interval, |state| !state.is_check_requested);
        let (mut state, _) = slept.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.is_check_requested)
    }
}

impl fmt::Debug for ChildReaper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exit = self.state().exit;
        f.debug_struct("Child").field("id", &self.id).field("exit", &exit).finish_non_exhaustive()
    }
}

struct Wait<'w> {
    reaper: &'w ChildReaper,
    waker_key: Option<u64>,
}

impl Future for Wait<'_> {
    type Output = io::Result<ExitStatus>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let mut state = self.reaper.state();
        if let Some(exit) = state.exit {
            return Poll::Ready(exit.map_err(io::Error::from));
        }
        let is_first = self.waker_key.is_none();
        let key = self.waker_key.unwrap_or_else(|| {
            state.next_key += 1;
            state.next_key
        });
        let replaced = state.wakers.insert(key, waker);
        drop(state);
        drop(replaced);
        self.waker_key = Some(key);
        if is_first {
            self.reaper.check_exit();
        }
        Poll::Pending
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.waker_key {
            let waker = self.reaper.state().wakers.remove(&key);
            drop(waker);
        }
    }
}
