//! What a server keeps to, whatever it is asked: its limits, what its protocol wants differently, the time that its
//! methods may take.

use crate::limits::Limits;
use crate::profile::Profile;
use crate::timer::Timer;
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// The rules of one server; clones of it share them.
#[derive(Clone, Default)]
pub(super) struct Rules {
    pub(super) limits: Limits,
    pub(super) profile: Profile,
    /// Who keeps the time of methods, if anybody does.
    pub(super) timer: Option<Arc<dyn Timer>>,
    /// How long methods may take that say so, by each of their names.
    time_limits: HashMap<String, Duration>,
}

impl Rules {
    /// The usual ones, for methods that may take so long.
    pub(super) fn of(time_limits: HashMap<String, Duration>) -> Self {
        Rules { time_limits, ..Rules::default() }
    }

    /// How many members a batch may have: none where there are no batches.
    pub(super) fn members(&self) -> usize {
        if self.profile.batches { self.limits.batch } else { 0 }
    }

    /// How long the method of this name may take, if it says so.
    pub(super) fn time_limit(&self, method: &str) -> Option<Duration> {
        if self.time_limits.is_empty() { None } else { self.time_limits.get(method).copied() }
    }

    /// Resolves when the time of a method is over that begins now; `None` if it has all the time.
    pub(super) fn time_of(&self, method: &str) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        let timer = self.timer.as_ref()?;
        Some(timer.sleep(self.time_limit(method)?))
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").field("limits", &self.limits).field("profile", &self.profile).finish_non_exhaustive()
    }
}
