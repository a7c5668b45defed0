//! How long a message waits for what it is owed.

use std::time::Duration;

/// How long a call or a batch waits for its reply.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Patience {
    /// As its caller's calls do.
    #[default]
    Usual,
    /// So long; `None` is without end.
    Own(Option<Duration>),
}

impl Patience {
    /// The timeout, if that of the caller is `usual`.
    pub(super) fn or(self, usual: Option<Duration>) -> Option<Duration> {
        match self {
            Patience::Usual => usual,
            Patience::Own(own) => own,
        }
    }
}
