//! The settings of a server: limits, profile, timeouts of methods.

use crate::limits::MessageLimits;
use crate::profile::Profile;
use crate::time::Timer;
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// The settings of a server. Its clones share them until one of them is changed.
#[derive(Clone, Default)]
pub(super) struct ServerConfig {
    pub(super) limits: MessageLimits,
    pub(super) profile: Profile,
    /// The timer of `timeouts`. Without one they are not enforced.
    pub(super) timer: Option<Arc<dyn Timer>>,
    /// The `timeout` options of methods, by wire name.
    timeouts: HashMap<String, Duration>,
}

impl ServerConfig {
    pub(super) fn with_timeouts(timeouts: HashMap<String, Duration>) -> Self {
        ServerConfig { timeouts, ..ServerConfig::default() }
    }

    /// Returns the number of members that a batch may have, 0 if the profile has no batches.
    pub(super) fn max_members(&self) -> usize {
        if self.profile.batches { self.limits.batch_members } else { 0 }
    }

    pub(super) fn timeout(&self, method: &str) -> Option<Duration> {
        if self.timeouts.is_empty() { None } else { self.timeouts.get(method).copied() }
    }

    /// Starts the timeout of a call. Returns `None` if the method has no timeout or the server no timer.
    pub(super) fn start_timeout(&self, method: &str) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        let timer = self.timer.as_ref()?;
        Some(timer.sleep(self.timeout(method)?))
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerConfig")
            .field("limits", &self.limits)
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}
