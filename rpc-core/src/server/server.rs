//! The server: text in, text out, without a transport.

use super::batch::ScratchPool;
use super::call_context::CallContext;
use super::config::ServerConfig;
use super::dispatch;
use super::engine::Engine;
use super::scope::Scope;
use super::service::Service;
use crate::block_on::block_on;
use crate::limits::MessageLimits;
use crate::observe::{Observer, ObserverRef};
use crate::profile::Profile;
use crate::time::Timer;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Handles JSON-RPC 2.0 messages with a service.
///
/// Cloning is cheap: clones share the service.
///
/// | limit | default | setter | response above it |
/// |---|---|---|---|
/// | bytes of a message | 10 MiB | [`max_message_bytes`](Self::max_message_bytes) | -32600, id null |
/// | nesting depth of a message | 127 | [`max_depth`](Self::max_depth) | -32700, id null |
/// | members of a batch | 1,000 | [`max_batch_members`](Self::max_batch_members) | -32600, id null |
/// | bytes of the response to a batch | 25 MiB | [`max_batch_response_bytes`](Self::max_batch_response_bytes) | -32000 for each response that does not fit |
///
/// Above one of the first three limits, the message gets this one error and none of its calls run. A
/// [`Profile`] may set other errors for the limits on batches.
///
/// ```
/// use rpc_core::{Server, block_on, rpc};
///
/// #[rpc]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
/// }
/// struct MyCalc;
/// impl Calc for MyCalc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
///         minuend - subtrahend
///     }
/// }
///
/// let server = Server::new(CalcService::new(MyCalc)).max_batch_members(100);
/// let response = block_on(server.handle(r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#));
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":19,"id":1}"#));
/// ```
pub struct Server<S: Service> {
    service: Arc<S>,
    scratch_pool: Arc<ScratchPool<S>>,
    config: Arc<ServerConfig>,
    observer: Option<Arc<dyn Observer>>,
}

impl<S: Service> Server<S> {
    /// Returns a server of `service`, which may be a tuple of services or a [`Router`](super::Router).
    pub fn new(service: S) -> Self {
        // Rejects, at compile time, a wire name that two services of a tuple share.
        let _ = const { S::NAMES };
        let config = Arc::new(ServerConfig::with_timeouts(method_timeouts(&service)));
        Server { service: Arc::new(service), scratch_pool: Arc::new(ScratchPool::new()), config, observer: None }
    }

    /// Sets the size of the largest message, in bytes, 10 MiB by default. A larger one is not parsed.
    #[must_use]
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.config_mut().limits.message_bytes = bytes;
        self
    }

    /// Sets the nesting depth that a message may have, 127 by default: the brackets that may be open at once,
    /// the outermost one included.
    ///
    /// With a limit above 127, `serde_json` rejects parameters deeper than 127, with -32602. Raw values are
    /// exempt: code that recurses over them needs a stack for the limit.
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.config_mut().limits.depth = depth;
        self
    }

    /// Sets the number of members that a batch may have, 1,000 by default. With 0, every batch is rejected.
    /// No member of a longer batch runs.
    #[must_use]
    pub fn max_batch_members(mut self, members: usize) -> Self {
        self.config_mut().limits.batch_members = members;
        self
    }

    /// Sets the size of the response to a batch, in bytes, 25 MiB by default. Responses count in the order in
    /// which the calls end. An error replaces the first one that does not fit and all later ones. Calls that
    /// have not started by then get the error and do not run.
    #[must_use]
    pub fn max_batch_response_bytes(mut self, bytes: usize) -> Self {
        self.config_mut().limits.batch_response_bytes = bytes;
        self
    }

    /// Sets the rules of the protocol above JSON-RPC, for connections too, [`Profile::native`] by default.
    ///
    /// ```
    /// use rpc_core::Server;
    /// use rpc_core::profile::Profile;
    ///
    /// let server = Server::new(()).profile(Profile::lsp());
    /// let response = server.handle_blocking("[1]").unwrap();
    /// assert!(response.starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32600"#));
    /// ```
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.config_mut().profile = profile;
        self
    }

    /// Sets the timer that enforces the `timeout` options of methods. When the timeout of a call elapses, its
    /// handler is dropped, and the response is -32000 "Timed out"; a notification gets none. The timeout
    /// includes the time that middleware takes.
    ///
    /// By default there is no timer, and the server does not enforce these options.
    ///
    /// ```
    /// use rpc_core::time::ManualTimer;
    /// use rpc_core::{Server, block_on, rpc};
    /// use std::future::poll_fn;
    /// use std::task::Poll;
    /// use std::time::Duration;
    ///
    /// #[rpc]
    /// trait Slow {
    ///     #[rpc(timeout = "5s")]
    ///     async fn wait(&self);
    /// }
    /// struct MySlow(ManualTimer);
    /// impl Slow for MySlow {
    ///     async fn wait(&self) {
    ///         let mut polls = 0;
    ///         poll_fn(|_| {
    ///             polls += 1;
    ///             // Lets the timeout elapse at the second poll.
    ///             if polls == 2 {
    ///                 self.0.advance(Duration::from_secs(5));
    ///             }
    ///             Poll::Pending
    ///         })
    ///         .await
    ///     }
    /// }
    /// let timer = ManualTimer::new();
    /// let server = Server::new(SlowService::new(MySlow(timer.clone()))).timer(timer);
    /// let response = block_on(server.handle(r#"{"jsonrpc":"2.0","method":"wait","id":1}"#));
    /// let error = r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Timed out"},"id":1}"#;
    /// assert_eq!(response.as_deref(), Some(error));
    /// ```
    #[must_use]
    pub fn timer(mut self, timer: impl Timer) -> Self {
        self.config_mut().timer = Some(Arc::new(timer));
        self
    }

    /// Sets the observer, which sees each message, response and internal failure. With an observer, messages
    /// take longer to parse. By default no observer is set.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Handles one message, which may be a batch, and returns the response to send. Returns `None` if the
    /// message has none: notifications (§4.1), batches of notifications only (§6), and responses.
    ///
    /// Any bytes are accepted: a message that is not valid JSON or JSON-RPC gets an error response (§5.1). A
    /// panic in a method ends its call with -32603 (internal error).
    pub async fn handle(&self, message: impl AsRef<[u8]>) -> Option<String> {
        let mut out = Vec::new();
        let has_response = self.handle_into(message.as_ref(), &mut out).await;
        // `serde_json` writes valid UTF-8, so no byte is ever replaced.
        has_response.then(|| {
            String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        })
    }

    /// As [`handle`](Self::handle), but appends the response to `out`. Returns false if the message
    /// gets no response.
    ///
    /// For a call that does not wait, only its values and a box for arguments larger than four strings are
    /// allocated.
    ///
    /// If the future is dropped before it resolves, `out` usually holds what it held before. It may end in a
    /// part of the response to a batch, or in the response of a call whose middleware waits after the method.
    pub async fn handle_into(&self, message: &[u8], out: &mut Vec<u8>) -> bool {
        dispatch::handle_bytes(self.engine(&self.call_context(None)), &self.scratch_pool, message, out).await
    }

    /// As [`handle_into`](Self::handle_into), for a message that is valid UTF-8.
    pub async fn handle_text_into(&self, message: &str, out: &mut Vec<u8>) -> bool {
        dispatch::handle_text(self.engine(&self.call_context(None)), &self.scratch_pool, message, out).await
    }

    /// As [`handle`](Self::handle), but blocks the thread, for programs without an async runtime.
    #[must_use]
    pub fn handle_blocking(&self, message: impl AsRef<[u8]>) -> Option<String> {
        block_on(self.handle(message))
    }

    /// As [`handle_into`](Self::handle_into), for a message of a connection.
    pub(crate) async fn handle_in_scope(&self, scope: &Scope<'_>, message: &[u8], out: &mut Vec<u8>) -> bool {
        let call_context = self.call_context(Some(scope));
        dispatch::handle_bytes(self.engine(&call_context), &self.scratch_pool, message, out).await
    }

    /// Returns the settings to change. Those of clones stay as they are.
    fn config_mut(&mut self) -> &mut ServerConfig {
        Arc::make_mut(&mut self.config)
    }

    pub(crate) fn service(&self) -> &S {
        &self.service
    }

    pub(crate) fn shared_observer(&self) -> Option<&Arc<dyn Observer>> {
        self.observer.as_ref()
    }

    #[inline]
    fn call_context<'a>(&'a self, scope: Option<&'a Scope<'a>>) -> CallContext<'a> {
        let observer = ObserverRef::new(self.observer.as_ref(), scope.map(Scope::connection_id));
        CallContext { config: &self.config, observer, scope }
    }

    #[inline]
    fn engine<'a>(&'a self, call_context: &'a CallContext<'a>) -> Engine<'a, S> {
        Engine { service: &*self.service, call_context }
    }

    /// Returns the profile, whose setter is `profile`.
    pub(crate) fn protocol(&self) -> &Profile {
        &self.config.profile
    }

    pub(crate) fn max_members(&self) -> usize {
        self.config.max_members()
    }

    pub(crate) fn limits(&self) -> &MessageLimits {
        &self.config.limits
    }
}

/// Returns the `timeout` options of the methods of a service, by wire name.
fn method_timeouts(service: &impl Service) -> HashMap<String, Duration> {
    let mut timeouts = HashMap::new();
    service.for_each_method(&mut |info| {
        for name in info.names() {
            // `info` may be of a method that an earlier service of a tuple hides.
            let timeout = service.find(name).and_then(|method| service.info(method).timeout());
            timeouts.extend(timeout.map(|timeout| (name.to_owned(), timeout)));
        }
    });
    timeouts
}

impl<S: Service> Clone for Server<S> {
    fn clone(&self) -> Self {
        Server {
            service: self.service.clone(),
            scratch_pool: self.scratch_pool.clone(),
            config: self.config.clone(),
            observer: self.observer.clone(),
        }
    }
}

impl<S: Service> fmt::Debug for Server<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("config", &self.config).finish_non_exhaustive()
    }
}
