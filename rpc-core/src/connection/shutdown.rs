//! The end of a connection: shut down, closed by the peer, or idle for too long.

use crate::error::CloseReason;
use crate::time::Timer;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

/// The shortest idle timeout.
const MIN_IDLE: Duration = Duration::from_millis(1);

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The end of a connection, from the moment when there is a reason for it.
pub(super) struct Shutdown {
    timer: Arc<dyn Timer>,
    reason: Option<CloseReason>,
    timeout: Option<Duration>,
    half_close_timeout: Option<Duration>,
    /// Elapses when running calls may not run any longer.
    deadline: Option<Sleep>,
    has_begun: bool,
    idle: Option<IdleTimer>,
}

impl Shutdown {
    /// Returns the end of a connection that has just begun. `timeout` limits a shutdown, `half_close_timeout` the time
    /// after the end of the peer's input, `idle_timeout` the time without any message.
    pub(super) fn new(
        timer: Arc<dyn Timer>,
        timeout: Option<Duration>,
        half_close_timeout: Option<Duration>,
        idle_timeout: Option<Duration>,
    ) -> Self {
        let idle =
            idle_timeout.map(|timeout| IdleTimer { timer: timer.clone(), timeout, sleep: None, is_active: false });
        Shutdown { timer, reason: None, timeout, half_close_timeout, deadline: None, has_begun: false, idle }
    }

    /// Notes that a message arrived.
    pub(super) fn note_message(&mut self) {
        if let Some(idle) = &mut self.idle {
            idle.is_active = true;
        }
    }

    /// Notes that the input has ended, for this reason.
    pub(super) fn end_input(&mut self, reason: CloseReason) {
        self.reason = Some(reason);
        if self.deadline.is_none() {
            self.deadline = self.half_close_timeout.map(|timeout| self.timer.sleep(timeout));
        }
    }

    /// Begins a shutdown by this side.
    pub(super) fn begin(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true) {
            if let Some(timeout) = self.timeout {
                self.deadline = Some(self.timer.sleep(timeout));
            }
            self.reason.get_or_insert(CloseReason::ByUs);
        }
    }

    /// Returns the reason if the connection ends now: because nothing is left to do, or a timeout has elapsed.
    /// `is_busy` returns whether a call of either side is pending.
    pub(super) fn poll(
        &mut self,
        is_busy: impl FnOnce() -> bool,
        is_done: bool,
        context: &mut Context<'_>,
    ) -> Option<CloseReason> {
        let is_late = self.deadline.as_mut().is_some_and(|deadline| deadline.as_mut().poll(context).is_ready());
        if let Some(idle) = &mut self.idle
            && idle.has_elapsed(is_busy(), context)
        {
            // The peer does not read what is left to be written.
            return Some(self.reason.clone().unwrap_or(CloseReason::Idle));
        }
        self.reason.clone().filter(|_| is_late || is_done)
    }
}

/// Detects that nothing happens for a while. The time is not measured from each message, which would cost a sleep each:
/// it has elapsed when a whole sleep has passed without any.
struct IdleTimer {
    timer: Arc<dyn Timer>,
    timeout: Duration,
    sleep: Option<Sleep>,
    is_active: bool,
}

impl IdleTimer {
    fn has_elapsed(&mut self, is_busy: bool, context: &mut Context<'_>) -> bool {
        self.is_active |= is_busy;
        // A timer may be ready at once, and again at once.
        for _ in 0..2 {
            let sleep = self.sleep.get_or_insert_with(|| self.timer.sleep(self.timeout.max(MIN_IDLE)));
            if sleep.as_mut().poll(context).is_pending() {
                return false;
            }
            self.sleep = None;
            if !std::mem::replace(&mut self.is_active, is_busy) {
                return true;
            }
        }
        context.waker().wake_by_ref();
        false
    }
}
