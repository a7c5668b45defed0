//! When a connection ends: told to, or left alone for too long.

use crate::error::CloseReason;
use crate::time::Timer;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

/// Nobody is idle in less.
const SHORTEST: Duration = Duration::from_millis(1);

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;
pub(super) type TimeLimit = (Arc<dyn Timer>, Duration);

/// The end of a connection, once there is a reason for it.
pub(super) struct Shutdown {
    reason: Option<CloseReason>,
    time_limit: Option<TimeLimit>,
    half_close_timeout: Option<TimeLimit>,
    /// How long what runs may still run, if it is limited.
    alarm: Option<Sleep>,
    is_shutting_down: bool,
    quiet: Option<IdleTimer>,
}

impl Shutdown {
    /// None yet. `shutdown_timeout` is what a stopped connection has for what runs, `half_close_timeout` what one has that the other side says
    /// nothing more over, `idle` how long nothing may come.
    pub(super) fn new(
        shutdown_timeout: Option<TimeLimit>,
        half_close_timeout: Option<TimeLimit>,
        idle: Option<TimeLimit>,
    ) -> Self {
        let quiet = idle.map(|(timer, duration)| IdleTimer { timer, duration, wait: None, is_broken: false });
        Shutdown {
            reason: None,
            time_limit: shutdown_timeout,
            half_close_timeout,
            alarm: None,
            is_shutting_down: false,
            quiet,
        }
    }

    /// Something came.
    pub(super) fn hear(&mut self) {
        if let Some(quiet) = &mut self.quiet {
            quiet.is_broken = true;
        }
    }

    /// There is nothing more to read, for this reason.
    pub(super) fn read_all(&mut self, reason: CloseReason) {
        self.reason = Some(reason);
        if self.alarm.is_none() {
            self.alarm = self.half_close_timeout.as_ref().map(sleep);
        }
    }

    /// This side is to stop.
    pub(super) fn begin(&mut self) {
        if !std::mem::replace(&mut self.is_shutting_down, true) {
            if let Some(shutdown_timeout) = &self.time_limit {
                self.alarm = Some(sleep(shutdown_timeout));
            }
            self.reason.get_or_insert(CloseReason::ByUs);
        }
    }

    /// The reason, if the time has come: nothing is left to do, or there is no time for it. `is_busy`: calls are
    /// open, of either side.
    pub(super) fn turn(
        &mut self,
        is_busy: impl FnOnce() -> bool,
        is_done: bool,
        context: &mut Context<'_>,
    ) -> Option<CloseReason> {
        let is_over = self.alarm.as_mut().is_some_and(|alarm| alarm.as_mut().poll(context).is_ready());
        if let Some(quiet) = &mut self.quiet
            && quiet.is_over(is_busy(), context)
        {
            // What is left to be written nobody reads.
            return Some(self.reason.clone().unwrap_or(CloseReason::Idle));
        }
        self.reason.clone().filter(|_| is_over || is_done)
    }
}

fn sleep((timer, duration): &TimeLimit) -> Sleep {
    timer.sleep(*duration)
}

/// Watches for a time in which nothing happens. It is not measured from each message, which would cost a wait each:
/// the time is over when a whole wait has passed without any.
struct IdleTimer {
    timer: Arc<dyn Timer>,
    duration: Duration,
    wait: Option<Sleep>,
    is_broken: bool,
}

impl IdleTimer {
    /// Whether the time is over.
    fn is_over(&mut self, is_busy: bool, context: &mut Context<'_>) -> bool {
        self.is_broken |= is_busy;
        // A timer may be ready at once, and again at once.
        for _ in 0..2 {
            let wait = self.wait.get_or_insert_with(|| self.timer.sleep(self.duration.max(SHORTEST)));
            if wait.as_mut().poll(context).is_pending() {
                return false;
            }
            self.wait = None;
            if !std::mem::replace(&mut self.is_broken, is_busy) {
                return true;
            }
        }
        context.waker().wake_by_ref();
        false
    }
}
