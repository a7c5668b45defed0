//! The settings of a connection.

use super::config::Config;
use super::connection::Connection;
#[cfg(feature = "tokio")]
use crate::extensions::Extensions;
use crate::observe::Observer;
use crate::peer::{Peer, Shared, SharedConfig};
use crate::profile::Profile;
use crate::server::{Server, Service};
use crate::time::Timer;
use crate::transport::{Sink, Source};
use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The settings of a connection, made by [`Connection::builder`] or [`Connection::client`].
///
/// | limit | default | setter | above it |
/// |---|---|---|---|
/// | calls of the peer that run at once | 1,024 | [`max_running`](Self::max_running) | further calls are queued |
/// | queued messages | 1,024 | [`max_queued`](Self::max_queued) | a call gets -32000 "Too many calls"; a notification closes the connection |
/// | bytes of running and queued messages | 64 MiB | [`max_queued_bytes`](Self::max_queued_bytes) | as for queued messages |
/// | unsent bytes | 1 MiB | [`max_unsent_bytes`](Self::max_unsent_bytes) | calls of both sides wait |
///
/// | timeout | default | setter | when it elapses |
/// |---|---|---|---|
/// | of a call to the peer | 60 s | [`call_timeout`](Self::call_timeout) | the call fails with [`ClientError::Timeout`](crate::ClientError::Timeout) and is cancelled |
/// | of a shutdown | none; 5 s for a client | [`shutdown_timeout`](Self::shutdown_timeout) | running calls are dropped, unsent output is lost |
/// | after the end of the peer's input | none | [`half_close_timeout`](Self::half_close_timeout) | running calls are dropped |
/// | of silence | none | [`idle_timeout`](Self::idle_timeout) | the connection closes |
///
/// The limits on single messages are those of the [server](Server); a client sets them here.
///
/// ```
/// use rpc_core::connection::Connection;
/// use rpc_core::transport::memory;
/// use std::time::Duration;
///
/// let (here, _there) = memory::pair(1024);
/// let (peer, connection) = Connection::client()
///     .call_timeout(Duration::from_secs(5))
///     .max_message_bytes(1 << 20)
///     .over(here);
/// # let _ = (peer, connection);
/// ```
#[must_use = "a connection is made by `over`"]
pub struct Builder<S: Service> {
    server: Server<S>,
    config: Config,
}

impl<S: Service> Connection<S, (), ()> {
    /// Returns the settings of a connection on which `server` serves the peer.
    pub fn builder(server: Server<S>) -> Builder<S> {
        let has_service = TypeId::of::<S>() != TypeId::of::<()>();
        let config = Config::new(has_service);
        Builder { server, config }
    }
}

impl Connection<(), (), ()> {
    /// Returns the settings of a connection that only calls its peer. It rejects the peer's calls, and ignores messages
    /// that are not valid, such as stray lines of the peer's output.
    ///
    /// ```
    /// use rpc_core::connection::Connection;
    /// use rpc_core::observe::WireLog;
    /// use rpc_core::transport::memory;
    ///
    /// let (here, _there) = memory::pair(1024);
    /// let (peer, connection) = Connection::client().observer(WireLog::new(std::io::stderr())).over(here);
    /// # let _ = (peer, connection);
    /// ```
    pub fn client() -> Builder<()> {
        Connection::builder(Server::new(()))
    }
}

impl<S: Service> Builder<S> {
    /// Sets the rules of the protocol above JSON-RPC, [those of the server](Server::profile) by default.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.server = self.server.profile(profile);
        self
    }

    /// Sets the observer of the connection, [that of the server](Server::observer) by default.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.server = self.server.observer(observer);
        self
    }

    /// Sets the size of the largest message that is read, in bytes: [`Server::max_message_bytes`].
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.server = self.server.max_message_bytes(bytes);
        self
    }

    /// Sets the nesting depth that a message may have: [`Server::max_depth`].
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.server = self.server.max_depth(depth);
        self
    }

    /// Sets the number of the peer's calls that may run at once. A handler that waits for a call of its own,
    /// made through its context, does not count. The least is 1.
    pub fn max_running(mut self, calls: usize) -> Self {
        self.config.limits.running = calls.max(1);
        self
    }

    /// Sets the number of messages that may be queued until they can run. The least is 1.
    pub fn max_queued(mut self, messages: usize) -> Self {
        self.config.limits.queued = messages.max(1);
        self
    }

    /// Sets the bytes that running and queued messages may have together. While they have fewer, one more message of
    /// any size is accepted. The least is 1.
    pub fn max_queued_bytes(mut self, bytes: usize) -> Self {
        self.config.limits.queued_bytes = bytes.max(1);
        self
    }

    /// Sets the unsent bytes above which calls of both sides wait. The responses of running calls do not
    /// wait, so the unsent bytes may exceed the limit by their size.
    pub fn max_unsent_bytes(mut self, bytes: usize) -> Self {
        self.config.limits.unsent_bytes = bytes;
        self
    }

    /// Sets the timer of all timeouts of the connection, [`ThreadTimer`](crate::time::ThreadTimer) by default.
    pub fn timer(mut self, timer: impl Timer) -> Self {
        self.config.timer = Arc::new(timer);
        self
    }

    /// Sets the timeout of calls to the peer, 60 s by default. With `None` they wait without limit. The option
    /// `#[rpc(timeout)]` of a method and [`Call::timeout`](crate::client::Call::timeout) take precedence.
    pub fn call_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.config.call_timeout = timeout.into();
        self
    }

    /// Sets the time that running calls and unsent output have to finish when the connection is shut down:
    /// without limit by default, 5 s for a client.
    pub fn shutdown_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.config.shutdown_timeout = timeout.into();
        self
    }

    /// Sets the time that running calls have to finish when the peer has closed its input, without limit by default. A
    /// closed socket looks the same as a half-closed one until something is written to it. With a timeout,
    /// long calls of a client that has disconnected are dropped.
    pub fn half_close_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.config.half_close_timeout = timeout.into();
        self
    }

    /// Sets the time after which a connection closes as [idle](super::CloseReason::Idle) if no message arrives and no
    /// call of either side is pending, without limit by default. It closes after `timeout` at the earliest and twice
    /// that at the latest.
    pub fn idle_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.config.idle_timeout = timeout.into();
        self
    }

    /// Makes dropping the last handle of a client block until pending output is written, for at most `timeout`.
    pub(crate) fn drop_timeout(mut self, timeout: Duration) -> Self {
        self.config.drop_timeout = timeout;
        self
    }

    /// Attaches a value to the connection, one of each type: [`Peer::extension`], and
    /// [`Context::extension`](crate::Context::extension) in its handlers.
    pub fn extension<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.config.extensions.insert(value);
        self
    }

    /// Attaches several values.
    #[cfg(feature = "tokio")]
    pub(crate) fn extensions(mut self, values: Extensions) -> Self {
        self.config.extensions.extend(values);
        self
    }

    /// Returns the handle to the peer of a transport, and the connection, which works while
    /// [`Connection::run`] is awaited.
    pub fn over<R: Source, W: Sink>(self, (source, sink): (R, W)) -> (Peer, Connection<S, R, W>) {
        let Builder { server, mut config } = self;
        let shared = Arc::new(Shared::new(SharedConfig {
            profile: server.protocol().clone(),
            unsent_bytes: config.limits.unsent_bytes,
            extensions: std::mem::take(&mut config.extensions),
            timer: config.timer.clone(),
            call_timeout: config.call_timeout,
            observer: server.shared_observer().cloned(),
        }));
        let peer = Peer::new(shared.clone(), (!config.has_service).then_some(config.drop_timeout));
        (peer, Connection::new(server, shared, config, source, sink))
    }
}

impl<S: Service> fmt::Debug for Builder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("server", &self.server).finish_non_exhaustive()
    }
}
