//! The one loop of a connection, for both directions.
//!
//! Responses and cancels are handled as they are read, and reading waits for nothing. Requests start in the order of
//! their arrival, each polled at once. All output that is ready goes out as one write. Every call of this side ends, at
//! the latest with the connection. Every call of the peer gets its response, or is dropped with the connection.

use super::config::Config;
use super::halves::{read, write};
use super::incoming_calls::{IncomingCalls, run_message};
use super::shutdown::Shutdown;
use crate::block_on::PollingConnection;
use crate::error::CloseReason;
use crate::peer::Shared;
use crate::server::{ConnectionScope, Scope, Server, Service};
use crate::transport::{Messages, Sink, Source};
use std::fmt;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// The number of messages read in one turn, so that a fast peer starves no other task.
const MESSAGES_PER_TURN: usize = 64;

/// A live connection. It serves the peer, and pairs the peer's responses with this side's calls, until it ends.
///
/// It works while [`run`](Connection::run) is awaited, on any runtime. The [`Peer`](super::Peer) that is made with it
/// calls the peer.
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
/// /// The methods that the server calls on its client.
/// #[rpc]
/// trait Window {
///     async fn confirm(&self, question: String) -> bool;
/// }
///
/// struct MyFiles;
/// impl Files for MyFiles {
///     async fn delete(&self, path: &str, context: &Context<'_>) -> Result<bool, ErrorObject> {
///         let Some(peer) = context.peer() else { return Ok(false) };
///         // Calls back while the client's own call is pending.
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
    server: Server<S>,
    guard: Guard,
    config: Config,
    source: R,
    sink: W,
}

/// Ends the calls of a connection that is dropped before its end, or without having run.
struct Guard(Arc<Shared>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.close(CloseReason::Dropped);
    }
}

impl<S: Service, R, W> Connection<S, R, W> {
    pub(super) fn new(server: Server<S>, shared: Arc<Shared>, config: Config, source: R, sink: W) -> Self {
        Connection { server, guard: Guard(shared), config, source, sink }
    }
}

impl<S: Service, R: Source, W: Sink> Connection<S, R, W> {
    /// Runs the connection until it ends, and returns the reason.
    ///
    /// When the input ends, the calls that arrived before still get their responses. If this future is
    /// dropped, the calls of this side end with [`CloseReason::Dropped`].
    pub async fn run(self) -> CloseReason {
        let Connection { server, guard, config, source, sink } = self;
        let Config { limits, has_service, timer, shutdown_timeout, half_close_timeout, idle_timeout, .. } = config;
        let shared = guard.0.clone();
        let scope = ConnectionScope::new(shared.clone());
        let message_limit = server.limits().message_bytes;
        let start = |buffers, blocked, cancelled| {
            run_message(Scope { connection: &scope, blocked, cancelled }, &server, buffers)
        };
        let mut calls = IncomingCalls::new(&server, &scope, start, limits, has_service);
        let mut reading = pin!(Some(read(source, Vec::new(), message_limit)));
        let mut writing = pin!(Some(write(sink, Messages::new())));
        let mut idle_sink = None;
        let mut shutdown = Shutdown::new(timer, shutdown_timeout, half_close_timeout, idle_timeout);
        let (reason, sink) = poll_fn(|context| {
            let _polling = PollingConnection::enter();
            shared.register_loop(context);
            calls.poll(context);
            let mut budget = MESSAGES_PER_TURN;
            while let Some(future) = reading.as_mut().as_pin_mut() {
                if budget == 0 {
                    context.waker().wake_by_ref();
                    break;
                }
                let Poll::Ready((source, message, end)) = future.poll(context) else { break };
                budget -= 1;
                shutdown.note_message();
                match end {
                    Ok(true) => {
                        let spare = match calls.accept(message) {
                            Ok(spare) => spare,
                            Err(reason) => return Poll::Ready((reason, None)),
                        };
                        reading.set(Some(read(source, spare, message_limit)));
                    }
                    Ok(false) => {
                        reading.set(None);
                        // No response can arrive any more.
                        shared.close(CloseReason::ByPeer);
                        shutdown.end_input(CloseReason::ByPeer);
                    }
                    // The transport works, but message boundaries are lost: earlier calls still get their responses.
                    Err(error) if error.kind() == ErrorKind::InvalidData => {
                        reading.set(None);
                        shutdown.end_input(shared.close((&error).into()));
                    }
                    Err(error) => return Poll::Ready(((&error).into(), None)),
                }
            }
            if shared.is_shutting_down() {
                shutdown.begin();
            }
            loop {
                calls.start();
                if let Some(future) = writing.as_mut().as_pin_mut() {
                    let Poll::Ready((sink, mut messages, written)) = future.poll(context) else {
                        calls.is_unread = shared.is_full();
                        break;
                    };
                    calls.is_unread = false;
                    writing.set(None);
                    if let Err(error) = written {
                        return Poll::Ready(((&error).into(), None));
                    }
                    messages.clear();
                    idle_sink = Some((sink, messages));
                }
                let Some((sink, mut messages)) = idle_sink.take() else { break };
                if !shared.take_outbox(&mut messages) {
                    idle_sink = Some((sink, messages));
                    break;
                }
                writing.set(Some(write(sink, messages)));
            }
            let is_busy = || !calls.is_empty() || shared.has_pending_calls();
            let is_done = calls.is_empty() && idle_sink.is_some();
            match shutdown.poll(is_busy, is_done, context) {
                Some(reason) => Poll::Ready((reason, idle_sink.take().map(|(sink, _)| sink))),
                None => Poll::Pending,
            }
        })
        .await;
        let reason = shared.close(reason);
        // Handlers are dropped before the sink closes, which may take a while.
        drop(calls);
        if let Some(mut sink) = sink {
            sink.close().await;
        }
        reason
    }
}

impl<S: Service, R, W> fmt::Debug for Connection<S, R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}
