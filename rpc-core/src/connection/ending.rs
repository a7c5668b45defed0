//! When a connection ends: told to, or left alone for too long.

use crate::error::CloseReason;
use crate::timer::Timer;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

/// Nobody is idle in less.
const SHORTEST: Duration = Duration::from_millis(1);

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;
pub(super) type Clock = (Arc<dyn Timer>, Duration);

/// The end of a connection, once there is a reason for it.
pub(super) struct Ending {
    reason: Option<CloseReason>,
    grace: Option<Clock>,
    linger: Option<Clock>,
    /// How long what runs may still run, if it is limited.
    alarm: Option<Sleep>,
    is_stopping: bool,
    quiet: Option<Quiet>,
}

impl Ending {
    /// None yet. `grace` is what a stopped connection has for what runs, `linger` what one has that the other side says
    /// nothing more over, `idle` how long nothing may come.
    pub(super) fn new(grace: Option<Clock>, linger: Option<Clock>, idle: Option<Clock>) -> Self {
        let quiet = idle.map(|(timer, duration)| Quiet { timer, duration, wait: None, is_broken: false });
        Ending { reason: None, grace, linger, alarm: None, is_stopping: false, quiet }
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
            self.alarm = self.linger.as_ref().map(sleep);
        }
    }

    /// This side is to stop.
    pub(super) fn stop(&mut self) {
        if !std::mem::replace(&mut self.is_stopping, true) {
            if let Some(grace) = &self.grace {
                self.alarm = Some(sleep(grace));
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

fn sleep((timer, duration): &Clock) -> Sleep {
    timer.sleep(*duration)
}

/// Watches for a time in which nothing happens. It is not measured from each message, which would cost a wait each:
/// the time is over when a whole wait has passed without any.
struct Quiet {
    timer: Arc<dyn Timer>,
    duration: Duration,
    wait: Option<Sleep>,
    is_broken: bool,
}

impl Quiet {
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
