//! The timeout of an outgoing message.

use std::time::Duration;

/// The timeout of a call or a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum TimeoutPolicy {
    /// The default of the caller.
    #[default]
    Default,
    /// The timeout of the method. It does not apply if the caller supports no timeouts.
    Method(Duration),
    /// The timeout of the call itself; `None` is no limit.
    Explicit(Option<Duration>),
}

impl TimeoutPolicy {
    /// Returns the timeout, given the default of the caller.
    pub(super) fn or(self, default_timeout: Option<Duration>) -> Option<Duration> {
        match self {
            TimeoutPolicy::Default => default_timeout,
            TimeoutPolicy::Method(timeout) => Some(timeout),
            TimeoutPolicy::Explicit(timeout) => timeout,
        }
    }

    /// Returns whether the caller must support timeouts.
    pub(super) fn is_required(self) -> bool {
        matches!(self, TimeoutPolicy::Explicit(Some(_)))
    }
}
