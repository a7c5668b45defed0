//! The timeout of a message, before the default of its caller is known.

use std::time::Duration;

/// The timeout of a call, a notification or a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum TimeoutPolicy {
    /// The default of the caller.
    #[default]
    Default,
    /// The option `timeout` of the method. A caller without timeouts ignores it.
    Method(Duration),
    /// No timeout, as the program set it.
    Never,
    /// A timeout that the program set. A caller without timeouts rejects it.
    After(Duration),
}

impl TimeoutPolicy {
    /// Returns the policy for a timeout that the program set.
    pub(super) fn explicit(timeout: Option<Duration>) -> Self {
        timeout.map_or(TimeoutPolicy::Never, TimeoutPolicy::After)
    }

    /// Returns the timeout, where `default` is that of the caller; `None` waits without limit.
    pub(super) fn or(self, default: Option<Duration>) -> Option<Duration> {
        match self {
            TimeoutPolicy::Default => default,
            TimeoutPolicy::Never => None,
            TimeoutPolicy::Method(timeout) | TimeoutPolicy::After(timeout) => Some(timeout),
        }
    }

    /// Returns whether the message needs a caller that supports timeouts.
    pub(super) fn is_required(self) -> bool {
        matches!(self, TimeoutPolicy::After(_))
    }
}
