//! The limits and timeouts of the crate, with their defaults.

use std::time::Duration;

/// The limits on one message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageLimits {
    /// Bytes of a message.
    pub(crate) message_bytes: usize,
    /// Brackets open at once, the outermost one included.
    pub(crate) depth: usize,
    /// Members of a batch.
    pub(crate) batch_members: usize,
    /// Bytes of the response to a batch.
    pub(crate) batch_response_bytes: usize,
}

impl Default for MessageLimits {
    fn default() -> Self {
        MessageLimits { message_bytes: 10 << 20, depth: 127, batch_members: 1_000, batch_response_bytes: 25 << 20 }
    }
}

/// The limits on what the peer of one connection may request, and on unsent output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// Calls that run at once.
    pub(crate) running: usize,
    /// Messages queued until they can run.
    pub(crate) queued: usize,
    /// Bytes of the messages that run or are queued, without the last one.
    pub(crate) queued_bytes: usize,
    /// Bytes of output not yet written, above which calls of either side wait.
    pub(crate) unsent_bytes: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        ConnectionLimits { running: 1_024, queued: 1_024, queued_bytes: 64 << 20, unsent_bytes: 1 << 20 }
    }
}

/// Connections that a listener serves at once.
#[cfg(feature = "tokio")]
pub(crate) const LISTENER_CONNECTIONS: usize = 1_024;

/// Connections above the limit that a listener refuses at once. Further ones are closed without a response.
#[cfg(feature = "tokio")]
pub(crate) const REFUSALS: usize = 64;

/// The time that a refused connection has to read its refusal.
#[cfg(feature = "tokio")]
pub(crate) const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);

/// Bytes of a header block, its empty line included.
pub(crate) const HEADER_BYTES: usize = 8 << 10;

/// The time that a call waits for its response.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// The time that connecting may take.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);

/// The time that a listener gives its connections to finish when it shuts down.
#[cfg(feature = "tokio")]
pub(crate) const LISTENER_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that a client-only connection has to write its output when it shuts down.
pub(crate) const CLIENT_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The time that dropping the last handle of a blocking client waits until pending output is written.
pub(crate) const DROP_TIMEOUT: Duration = Duration::from_secs(5);

/// The time that a child process has to exit once its transport is closed.
pub(crate) const CHILD_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes that a transport reads at once.
pub(crate) const READ_BYTES: usize = 64 << 10;

/// Bytes of capacity that a transport keeps in a write buffer for the next write.
pub(crate) const KEPT_BUFFER_BYTES: usize = 256 << 10;
