//! What a server keeps to, whatever it is asked: its limits, what its protocol wants differently, the time that its
//! methods may take.

use crate::limits::MessageLimits;
use crate::profile::Profile;
use crate::time::Timer;
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// The rules of one server; clones of it share them.
#[derive(Clone, Default)]
pub(super) struct ServerConfig {
    pub(super) limits: MessageLimits,
    pub(super) profile: Profile,
    /// Who keeps the time of methods, if anybody does.
    pub(super) timer: Option<Arc<dyn Timer>>,
    /// How long methods may take that say so, by each of their names.
    timeouts: HashMap<String, Duration>,
}

impl ServerConfig {
    /// The usual ones, for methods that may take so long.
    pub(super) fn of(timeouts: HashMap<String, Duration>) -> Self {
        ServerConfig { timeouts, ..ServerConfig::default() }
    }

    /// How many members a batch may have: none where there are no batches.
    pub(super) fn members(&self) -> usize {
        if self.profile.batches { self.limits.batch_members } else { 0 }
    }

    /// How long the method of this name may take, if it says so.
    pub(super) fn timeout(&self, method: &str) -> Option<Duration> {
        if self.timeouts.is_empty() { None } else { self.timeouts.get(method).copied() }
    }

    /// Resolves when the time of a method is over that begins now; `None` if it has all the time.
    pub(super) fn time_of(&self, method: &str) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        let timer = self.timer.as_ref()?;
        Some(timer.sleep(self.timeout(method)?))
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").field("limits", &self.limits).field("profile", &self.profile).finish_non_exhaustive()
    }
}
