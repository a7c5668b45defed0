//! What a connection is made of.

use super::shutdown::TimeLimit;
use crate::error::CloseReason;
use crate::peer::{Peer, Shared};
use crate::profile::Profile;
use crate::server::{Extensions, Server, Service};
use crate::time::{ThreadTimer, Timer};
use crate::transport::{Sink, Source};
use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A live connection: it serves the other side and pairs the replies to this side's calls, until it ends.
///
/// It does so while [`run`](Connection::run) is awaited, on any runtime. The [`Peer`] that comes with it
/// calls the other side.
///
/// ```
/// use rpc_core::connection::{CloseReason, Connection};
/// use rpc_core::transport::memory;
/// use rpc_core::{Context, ErrorObject, Server, rpc};
///
/// #[rpc]
/// trait Files {
///     async fn delete(&self, path: &str, #[rpc(context)] context: &Context<'_>) -> Result<bool, ErrorObject>;
/// }
/// /// What the server asks its client.
/// #[rpc]
/// trait Window {
///     async fn confirm(&self, question: String) -> bool;
/// }
///
/// struct MyFiles;
/// impl Files for MyFiles {
///     async fn delete(&self, path: &str, context: &Context<'_>) -> Result<bool, ErrorObject> {
///         let Some(peer) = context.peer() else { return Ok(false) };
///         // Called back while its own call is open.
///         Ok(WindowClient::new(peer).confirm(format!("delete {path}?")).await?)
///     }
/// }
/// struct Yes;
/// impl Window for Yes {
///     async fn confirm(&self, _question: String) -> bool { true }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (here, there) = memory::pair(1 << 16);
/// let (_, serving) = Connection::builder(Server::new(FilesService::new(MyFiles))).over(there);
/// let (peer, calling) = Connection::builder(Server::new(WindowService::new(Yes))).over(here);
/// let serving = tokio::spawn(serving.run());
/// let calling = tokio::spawn(calling.run());
///
/// let files = FilesClient::new(peer.clone());
/// assert!(files.delete("a.td").await?);
///
/// peer.shutdown();
/// assert_eq!(calling.await?, CloseReason::ByUs);
/// assert_eq!(serving.await?, CloseReason::ByPeer);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Connection<S: Service, R, W> {
    pub(super) server: Server<S>,
    pub(super) guard: Guard,
    pub(super) settings: Config,
    pub(super) source: R,
    pub(super) sink: W,
}

/// How long output of a side that serves nothing may wait to be read when it is stopped.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Ends the calls of a connection that is dropped before its end, or before it was run at all.
pub(super) struct Guard(pub(super) Arc<Shared>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.close(CloseReason::Dropped);
    }
}

/// What is set before a connection is made.
pub(super) struct Config {
    pub(super) limits: Limits,
    pub(super) extensions: Extensions,
    pub(super) shutdown_timeout: Option<TimeLimit>,
    pub(super) half_close_timeout: Option<TimeLimit>,
    pub(super) idle: Option<TimeLimit>,
    /// How long the last handle waits for the end that it causes, when it is dropped.
    pub(super) drop_timeout: Duration,
}

/// What the other side may ask for.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// How many calls may run at once.
    pub(super) running: usize,
    /// How many messages may wait until then.
    pub(super) waiting: usize,
    /// How long the messages of both may be together, but for the last.
    pub(super) bytes: usize,
    /// Whether there is a service at all; without one, what is no call needs no answer.
    pub(super) serves: bool,
}

impl<S: Service> Connection<S, (), ()> {
    /// A connection that serves the other side with `server`; [`Server::new(())`](Server::new) serves nothing. A
    /// side that serves nothing refuses calls, and passes over what is no message: stray lines of the other side's
    /// output end nothing.
    pub fn builder(server: Server<S>) -> Builder<S> {
        let is_served = TypeId::of::<S>() != TypeId::of::<()>();
        let limits = Limits { running: 1024, waiting: 1024, bytes: 64 << 20, serves: is_served };
        let settings = Config {
            limits,
            extensions: Extensions::new(),
            shutdown_timeout: None,
            half_close_timeout: None,
            idle: None,
            drop_timeout: Duration::ZERO,
        };
        Builder { server, room: 1 << 20, settings }
    }
}

impl<S: Service, R, W> fmt::Debug for Connection<S, R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Sets a connection up. The example is at [`Connection`].
///
/// | limit | default | setter | over it |
/// |---|---|---|---|
/// | calls that run | 1,024 | [`max_running`](Self::max_running) | further ones wait |
/// | messages that wait | 1,024 | [`max_queued`](Self::max_queued) | -32000 for calls; a notification ends the connection |
/// | bytes of messages that run or wait | 64 MiB | [`max_queued_bytes`](Self::max_queued_bytes) | as for messages that wait |
/// | bytes to be sent | 1 MiB | [`max_unsent_bytes`](Self::max_unsent_bytes) | calls of either side wait |
#[must_use = "a connection is made by `over`"]
pub struct Builder<S: Service> {
    server: Server<S>,
    room: usize,
    settings: Config,
}

impl<S: Service> Builder<S> {
    /// Sets how the connection behaves where protocols differ; as [its server's](Server::profile) unless it is set.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.server = self.server.profile(profile);
        self
    }

    /// Sets how many calls of the other side may run at once. A method that waits for a call that it makes
    /// through its context does not count.
    pub fn max_running(mut self, calls: usize) -> Self {
        self.settings.limits.running = calls.max(1);
        self
    }

    /// Sets how many messages may wait until what runs makes room for them.
    pub fn max_queued(mut self, messages: usize) -> Self {
        self.settings.limits.waiting = messages.max(1);
        self
    }

    /// Sets how long the messages that run or wait may be together, in bytes. One more is taken as long as they are
    /// shorter.
    pub fn max_queued_bytes(mut self, bytes: usize) -> Self {
        self.settings.limits.bytes = bytes.max(1);
        self
    }

    /// Sets how many bytes may wait to be sent before calls of either side wait, too. What runs is always
    /// answered, so there may be as much more as that.
    pub fn max_unsent_bytes(mut self, bytes: usize) -> Self {
        self.room = bytes;
        self
    }

    /// Sets how long calls may run on when the connection is told to stop, and output wait to be read; without this,
    /// without end on a side that serves, and five seconds on one that does not.
    pub fn shutdown_timeout(mut self, timer: impl Timer, duration: Duration) -> Self {
        self.settings.shutdown_timeout = Some((Arc::new(timer), duration));
        self
    }

    /// Sets how long calls may run on when the other side has ended its input; without this, to their end. Who has
    /// closed a socket cannot be told from who only says no more and still reads, before something is written to it: a
    /// server whose calls may take long gives them up so when their client is gone.
    pub fn half_close_timeout(mut self, timer: impl Timer, duration: Duration) -> Self {
        self.settings.half_close_timeout = Some((Arc::new(timer), duration));
        self
    }

    /// Ends the connection when nothing has come for a while and no call is open on either side:
    /// [`CloseReason::Idle`], after `duration` at the earliest and twice that at the latest. Without this, it may be
    /// idle without end.
    pub fn idle_timeout(mut self, timer: impl Timer, duration: Duration) -> Self {
        self.settings.idle = Some((Arc::new(timer), duration));
        self
    }

    /// Has the last handle of a side that serves nothing wait for the end that it causes when it is dropped, so that
    /// what was handed over is written before the program can end: at most `drop_timeout`.
    pub(crate) fn drop_timeout(mut self, drop_timeout: Duration) -> Self {
        self.settings.drop_timeout = drop_timeout;
        self
    }

    /// Gives methods a value of this connection, one of each type: [`Context::extension`](crate::Context::extension).
    pub fn extension<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.settings.extensions.insert(TypeId::of::<T>(), Box::new(value));
        self
    }

    /// The connection over a transport, and the handle to its other side.
    pub fn over<R: Source, W: Sink>(self, (source, sink): (R, W)) -> (Peer, Connection<S, R, W>) {
        let Builder { server, room, mut settings } = self;
        if !settings.limits.serves && settings.shutdown_timeout.is_none() {
            settings.shutdown_timeout = Some((Arc::new(ThreadTimer), SHUTDOWN_TIMEOUT));
        }
        let shared = Arc::new(Shared::new(server.protocol().clone(), room, server.shared_observer().cloned()));
        let peer = Peer::of(shared.clone(), (!settings.limits.serves).then_some(settings.drop_timeout));
        (peer, Connection { server, guard: Guard(shared), settings, source, sink })
    }
}

impl<S: Service> fmt::Debug for Builder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("server", &self.server).finish_non_exhaustive()
    }
}
