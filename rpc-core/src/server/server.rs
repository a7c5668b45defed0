//! The server without a transport: text in, text out.

use super::batch::ScratchPool;
use super::call_context::CallContext;
use super::config::ServerConfig;
use super::dispatch;
use super::engine::Engine;
use super::scope::Scope;
use super::service::Service;
use crate::block_on::block_on;
use crate::limits::MessageLimits;
use crate::observe::Observer;
use crate::profile::Profile;
use crate::time::Timer;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Answers messages with a service, exactly as JSON-RPC 2.0 says.
///
/// Cloning is cheap: clones share the service. The limits below hold unless they are set; over one
/// of them the message gets one error and nothing of it runs, but for the last. A [`Profile`] may say other errors
/// for the last two.
///
/// | limit | default | setter | error |
/// |---|---|---|---|
/// | bytes of a message | 10 MiB | [`max_message_bytes`](Self::max_message_bytes) | -32600, id null |
/// | depth of a message | 127 | [`max_depth`](Self::max_depth) | -32700, id null |
/// | members of a batch | 1,000 | [`max_batch_members`](Self::max_batch_members) | -32600, id null |
/// | bytes of a batch's answer | 25 MiB | [`max_batch_response_bytes`](Self::max_batch_response_bytes) | -32000 for each answer that does not fit |
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
    spare: Arc<ScratchPool<S>>,
    config: Arc<ServerConfig>,
    observer: Option<Arc<dyn Observer>>,
}

impl<S: Service> Server<S> {
    /// Serves `service`, which may be a tuple of services or a [`Router`](super::Router).
    pub fn new(service: S) -> Self {
        // Refuses at compile time a wire name that two services of a tuple share.
        let _ = const { S::NAMES };
        let config = Arc::new(ServerConfig::of(timeouts(&service)));
        Server { service: Arc::new(service), spare: Arc::new(ScratchPool::new()), config, observer: None }
    }

    /// Sets the largest message, in bytes. A larger one is answered with -32600 and not read.
    #[must_use]
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.config().limits.message_bytes = bytes;
        self
    }

    /// Sets how many brackets may be open at once in a message, its outermost one counted.
    ///
    /// Above 127 the types of parameters set the limit: `serde_json` refuses to build a value deeper
    /// than 127, with -32602; raw values are passed on at any depth, to code that may recurse.
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.config().limits.depth = depth;
        self
    }

    /// Sets how many members a batch may have; 0 turns batches off. Nothing of a longer one runs.
    #[must_use]
    pub fn max_batch_members(mut self, members: usize) -> Self {
        self.config().limits.batch_members = members;
        self
    }

    /// Sets how long the answer to a batch may grow, in bytes. Answers are counted in the order in
    /// which they are made; the first that does not fit, and all later ones, are replaced by an
    /// error, and calls that have not begun by then are not made.
    #[must_use]
    pub fn max_batch_response_bytes(mut self, bytes: usize) -> Self {
        self.config().limits.batch_response_bytes = bytes;
        self
    }

    /// Sets what the protocol on top of JSON-RPC wants differently; [`Profile::native`] unless it is set. A
    /// connection behaves as the profile of its server says.
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
        self.config().profile = profile;
        self
    }

    /// Has `timer` keep the time of methods whose word `timeout` says how long they may take: a call of one is
    /// given up then, its future dropped, and answered with -32000 "Timed out"; a notification with nothing. What
    /// stands around the service takes of the same time.
    ///
    /// Without a timer, which is the default, no such time is kept here.
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
    /// struct Mine(ManualTimer);
    /// impl Slow for Mine {
    ///     async fn wait(&self) {
    ///         let mut polls = 0;
    ///         poll_fn(|_| {
    ///             polls += 1;
    ///             // Time passes, and it does not end.
    ///             if polls == 2 {
    ///                 self.0.advance(Duration::from_secs(5));
    ///             }
    ///             Poll::Pending
    ///         })
    ///         .await
    ///     }
    /// }
    /// let timer = ManualTimer::new();
    /// let server = Server::new(SlowService::new(Mine(timer.clone()))).timer(timer);
    /// let response = block_on(server.handle(r#"{"jsonrpc":"2.0","method":"wait","id":1}"#));
    /// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Timed out"},"id":1}"#));
    /// ```
    #[must_use]
    pub fn timer(mut self, timer: impl Timer) -> Self {
        self.config().timer = Some(Arc::new(timer));
        self
    }

    /// Shows all that happens here to `observer`. Every message is then read by the exact reader.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Answers one message, a batch included; `None` when no answer is owed.
    ///
    /// Whatever the message is, nothing panics and nothing of it is lost: it is answered with a
    /// result or an error, or is a notification or a reply, which are not answered (§4.1).
    pub async fn handle(&self, message: impl AsRef<[u8]>) -> Option<String> {
        let mut out = Vec::new();
        let answered = self.handle_into(message.as_ref(), &mut out).await;
        // serde_json writes UTF-8 only, so nothing is ever replaced.
        answered.then(|| {
            String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        })
    }

    /// As [`handle`](Self::handle), appending the answer to `out`; false when none is owed.
    ///
    /// A call that is ready at once allocates nothing here but what its own values need, and a box for
    /// arguments larger than four strings. If the future is dropped before its end, `out` holds what it
    /// held before; behind a middleware that waits after the method it may hold the answer already, and for a
    /// batch it may end in one that is not whole.
    pub async fn handle_into(&self, message: &[u8], out: &mut Vec<u8>) -> bool {
        dispatch::respond(self.engine(&self.call_context()), &self.spare, message, out).await
    }

    /// As [`handle_into`](Self::handle_into), for a message that is known to be UTF-8.
    pub async fn handle_text_into(&self, message: &str, out: &mut Vec<u8>) -> bool {
        dispatch::respond_to_text(self.engine(&self.call_context()), &self.spare, message, out).await
    }

    /// As [`handle`](Self::handle), for programs without an async runtime: this thread waits.
    #[must_use]
    pub fn handle_blocking(&self, message: impl AsRef<[u8]>) -> Option<String> {
        block_on(self.handle(message))
    }

    /// As [`handle_text_into`](Self::handle_text_into), over a live connection.
    pub(crate) async fn handle_over(&self, scope: &Scope<'_>, message: &[u8], out: &mut Vec<u8>) -> bool {
        let call_context = CallContext { scope: Some(scope), ..self.call_context() };
        dispatch::respond(self.engine(&call_context), &self.spare, message, out).await
    }

    /// The rules, to be set; those of clones stay as they are.
    fn config(&mut self) -> &mut ServerConfig {
        Arc::make_mut(&mut self.config)
    }

    /// What answers.
    pub(crate) fn service(&self) -> &S {
        &self.service
    }

    /// Who watches.
    pub(crate) fn shared_observer(&self) -> Option<&Arc<dyn Observer>> {
        self.observer.as_ref()
    }

    #[inline]
    fn call_context(&self) -> CallContext<'_> {
        CallContext { config: &self.config, observer: self.observer.as_deref(), scope: None }
    }

    #[inline]
    fn engine<'a>(&'a self, call_context: &'a CallContext<'a>) -> Engine<'a, S> {
        Engine { service: &*self.service, call_context }
    }

    /// What its protocol wants differently.
    pub(crate) fn protocol(&self) -> &Profile {
        &self.config.profile
    }

    /// How many members a batch may have.
    pub(crate) fn max_members(&self) -> usize {
        self.config.members()
    }

    /// The limits in force.
    pub(crate) fn limits(&self) -> &MessageLimits {
        &self.config.limits
    }
}

/// How long methods may take that say so, by each of their names.
fn timeouts(service: &impl Service) -> HashMap<String, Duration> {
    let mut limits = HashMap::new();
    service.for_each_method(&mut |info| {
        for name in info.names() {
            // Who serves this name may be another than who announces it.
            let limit = service.find(name).and_then(|method| service.info(method).timeout());
            limits.extend(limit.map(|limit| (name.to_owned(), limit)));
        }
    });
    limits
}

impl<S: Service> Clone for Server<S> {
    fn clone(&self) -> Self {
        Server {
            service: self.service.clone(),
            spare: self.spare.clone(),
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
