//! How long a message waits for what it is owed.

use std::time::Duration;

/// How long a call or a batch waits for its reply.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum TimeoutPolicy {
    /// As its caller's calls do.
    #[default]
    Default,
    /// As its method's do, where time is kept at all: so many milliseconds. A number is small enough to stand in
    /// the place of the other.
    Method(u64),
    /// So long; `None` is without end.
    Explicit(Option<Duration>),
}

impl TimeoutPolicy {
    /// The timeout, if that of the caller is `usual`.
    pub(super) fn or(self, default_timeout: Option<Duration>) -> Option<Duration> {
        match self {
            TimeoutPolicy::Default => default_timeout,
            TimeoutPolicy::Method(millis) => Some(Duration::from_millis(millis)),
            TimeoutPolicy::Explicit(own) => own,
        }
    }

    /// Whether it must be kept: whoever made the call said so.
    pub(super) fn is_own(self) -> bool {
        matches!(self, TimeoutPolicy::Explicit(Some(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::TimeoutPolicy;
    use std::time::Duration;

    #[test]
    fn it_is_no_larger_than_a_timeout() {
        assert_eq!(size_of::<TimeoutPolicy>(), size_of::<Option<Duration>>());
    }
}
