//! The loop of a listener: accepts connections, runs each in a task, and refuses those above the limit.

use super::shutdown_handle::{ShutdownHandle, ShutdownSignal};
use crate::connection::{Builder, CloseReason, Connection, Peer};
use crate::limits::{LISTENER_CONNECTIONS, LISTENER_SHUTDOWN_TIMEOUT, REFUSAL_TIMEOUT, REFUSALS};
use crate::server::{Server, Service};
use crate::time::{ThreadTimer, Timer};
use crate::transport::{Accepted, Acceptor, Messages, Sink, Source};
use crate::wire::{ErrorObject, Id, write_error};
use std::future::poll_fn;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::task::JoinSet;

/// The pause after an error that is not about a single connection, such as a lack of file descriptors.
const ERROR_PAUSE: Duration = Duration::from_millis(100);

/// The pause after the last free place is taken. Within it, a connection that has just ended makes room for the next.
const FULL_PAUSE: Duration = Duration::from_millis(50);

/// The loop of a listener, before it runs.
pub(crate) struct AcceptLoop<S: Service> {
    pub(super) server: Server<S>,
    pub(super) max_connections: usize,
    pub(super) shutdown_handle: ShutdownHandle,
    pub(super) hooks: Hooks<S>,
}

/// A function that is called when a connection has ended.
type OnCloseHook = Arc<dyn Fn(&Peer, &CloseReason) + Send + Sync>;

/// The functions of the user.
pub(crate) struct Hooks<S: Service> {
    pub(super) configure: Arc<dyn Fn(Builder<S>) -> Builder<S> + Send + Sync>,
    pub(super) on_open: Arc<dyn Fn(&Peer) + Send + Sync>,
    pub(super) on_close: OnCloseHook,
}

impl<S: Service> Clone for Hooks<S> {
    fn clone(&self) -> Self {
        Hooks { configure: self.configure.clone(), on_open: self.on_open.clone(), on_close: self.on_close.clone() }
    }
}

/// An acceptor whose type is erased.
#[allow(clippy::type_complexity, reason = "the type stands here only")]
pub(crate) struct BoundAcceptor<S: Service>(
    Box<dyn FnOnce(AcceptLoop<S>, ShutdownSignal) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>,
);

impl<S: Service> BoundAcceptor<S> {
    pub(super) fn new(acceptor: impl Acceptor) -> Self {
        BoundAcceptor(Box::new(move |accept_loop, signal| Box::pin(accept_loop.run(acceptor, signal))))
    }

    /// Runs the loop of a listener until it is shut down, or the acceptor has no more connections.
    pub(super) async fn run(self, accept_loop: AcceptLoop<S>, signal: ShutdownSignal) {
        self.0(accept_loop, signal).await;
    }
}

impl<S: Service> AcceptLoop<S> {
    pub(super) fn new(server: Server<S>) -> Self {
        AcceptLoop {
            server,
            max_connections: LISTENER_CONNECTIONS,
            shutdown_handle: ShutdownHandle::default(),
            hooks: Hooks {
                configure: Arc::new(|builder| builder),
                on_open: Arc::new(|_| ()),
                on_close: Arc::new(|_, _| ()),
            },
        }
    }

    async fn run(self, mut acceptor: impl Acceptor, signal: ShutdownSignal) {
        let mut tasks = Tasks::default();
        loop {
            let accepted = {
                let mut accept = pin!(acceptor.accept());
                poll_fn(|context| {
                    tasks.poll_ended(context);
                    if signal.is_shut_down(context) {
                        return Poll::Ready(Ok(None));
                    }
                    ready!(tasks.poll_pause(context));
                    accept.as_mut().poll(context)
                })
                .await
            };
            match accepted {
                Ok(Some(accepted)) if tasks.connections.len() < self.max_connections => {
                    self.spawn(&mut tasks.connections, accepted);
                    if tasks.connections.len() == self.max_connections {
                        tasks.pause_for(FULL_PAUSE);
                    }
                }
                Ok(Some(accepted)) if tasks.refusals.len() < REFUSALS => {
                    tasks.refusals.spawn(refuse(accepted, self.server.limits().message_bytes));
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) if is_about_one_connection(&error) => {}
                Err(_) => tasks.pause_for(ERROR_PAUSE),
            }
        }
        // The address is free again from here on.
        drop(acceptor);
        while tasks.connections.join_next().await.is_some() {}
    }

    fn spawn<R: Source, W: Sink>(&self, connections: &mut JoinSet<()>, accepted: Accepted<R, W>) {
        let builder = Connection::builder(self.server.clone())
            .shutdown_timeout(LISTENER_SHUTDOWN_TIMEOUT)
            .extensions(accepted.extensions);
        let (hooks, shutdown_handle) = (self.hooks.clone(), self.shutdown_handle.clone());
        // The hooks run in the task, so that a panic there ends this connection only.
        connections.spawn(async move {
            // The first handle stays until the end, since a connection without a service ends with its last handle.
            let (first_handle, connection) = (hooks.configure)(builder).over((accepted.source, accepted.sink));
            let peer = first_handle.to_weak();
            let _on_close = OnClose { peer: peer.clone(), hook: hooks.on_close };
            // Moved so that it is dropped before `_on_close`, which reports the reason.
            let connection = connection;
            let _open = shutdown_handle.register(&peer);
            (hooks.on_open)(&peer);
            connection.run().await;
        });
    }
}

/// Reports the end of a connection on drop, which covers a panic and a dropped listener.
struct OnClose {
    peer: Peer,
    hook: OnCloseHook,
}

impl Drop for OnClose {
    fn drop(&mut self) {
        let reason = self.peer.close_reason().unwrap_or(CloseReason::Dropped);
        // A panic during another panic would abort the process.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| (self.hook)(&self.peer, &reason))) {
            // The drop of a payload can panic, too.
            std::mem::forget(payload);
        }
    }
}

/// The tasks of a listener, and the pause that it makes.
#[derive(Default)]
struct Tasks {
    connections: JoinSet<()>,
    refusals: JoinSet<()>,
    pause: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Tasks {
    /// Removes the tasks that have ended. The end of a connection ends the pause.
    fn poll_ended(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(_)) = self.connections.poll_join_next(context) {
            self.pause = None;
        }
        while let Poll::Ready(Some(_)) = self.refusals.poll_join_next(context) {}
    }

    fn pause_for(&mut self, duration: Duration) {
        self.pause = Some(ThreadTimer.sleep(duration));
    }

    fn poll_pause(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        Poll::Ready(())
    }
}

/// Sends an error under the id null, and closes the connection.
async fn refuse<R: Source, W: Sink>(accepted: Accepted<R, W>, message_limit: usize) {
    let Accepted { mut source, mut sink, .. } = accepted;
    let mut refusal = pin!(async move {
        let mut response = Vec::new();
        let error = ErrorObject::new(ErrorObject::SERVER_ERROR, "Too many connections");
        write_error(&mut response, Id::NULL.as_token(), &error);
        let mut messages = Messages::new();
        messages.push(&response);
        if sink.send(&messages).await.is_err() {
            return;
        }
        sink.close().await;
        // A socket that is dropped with unread input is reset, and the peer may never read the error.
        let mut message = Vec::new();
        while matches!(source.receive(&mut message, message_limit).await, Ok(true)) {
            message.clear();
        }
    });
    let mut timeout = ThreadTimer.sleep(REFUSAL_TIMEOUT);
    poll_fn(|context| match refusal.as_mut().poll(context) {
        Poll::Pending => timeout.as_mut().poll(context),
        Poll::Ready(()) => Poll::Ready(()),
    })
    .await;
}

/// Returns whether an error of `accept` is about a single connection, and not about the listener.
fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
