//! A notification as a value: written when made, sent when awaited.

use super::caller::Caller;
use super::outgoing::Outgoing;
use super::state::{State, WAITS_FOR_ITSELF};
use crate::block_on::wait;
use crate::error::CallError;
use crate::params::{Arguments, encode, encode_flat};
use serde::Serialize;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A notification that has been written but not sent; `.await` sends it. There is never a reply.
///
/// Awaited, it has been handed over, in its order; a connection that is [closed](crate::connection::Peer::close) writes
/// it before it ends, a program that ends at once may not.
///
/// ```
/// use rpc_core::{CallError, Server, block_on, rpc};
///
/// #[rpc]
/// trait Watch {
///     #[rpc(notification)]
///     async fn file_changed(&self, path: &str);
/// }
/// struct Quiet;
/// impl Watch for Quiet {
///     async fn file_changed(&self, _path: &str) {}
/// }
///
/// let watch = WatchClient::new(Server::new(WatchService::new(Quiet)).caller());
/// block_on(watch.file_changed("a.td"))?;
/// # Ok::<(), CallError>(())
/// ```
#[must_use = "a notification is sent when it is awaited"]
pub struct Notify<'c, C> {
    caller: &'c C,
    outgoing: serde_json::Result<Outgoing>,
}

impl<'c, C: Caller> Notify<'c, C> {
    pub(super) fn of(caller: &'c C, outgoing: serde_json::Result<Outgoing>) -> Self {
        Notify { caller, outgoing }
    }

    /// A notification that no trait says; `params` as in [`Call::new`](crate::Call::new).
    pub fn new<P: Serialize + ?Sized>(caller: &'c C, method: &str, params: &P) -> Self {
        Notify { caller, outgoing: Outgoing::new(method, params) }
    }

    /// What its method's word `timeout` says: the macro writes it.
    #[doc(hidden)]
    pub fn usually(mut self, millis: u64) -> Self {
        self.outgoing = self.outgoing.map(|outgoing| outgoing.usually(millis));
        self
    }

    /// Takes the message out, for a batch.
    pub(super) fn into_outgoing(self) -> serde_json::Result<Outgoing> {
        self.outgoing
    }

    /// As `Call::written`.
    #[doc(hidden)]
    #[inline]
    pub fn written(
        caller: &'c C,
        head: &'static str,
        names: &[&str],
        by_name: bool,
        arguments: &impl Arguments,
    ) -> Self {
        Notify { caller, outgoing: Outgoing::open(head, |out| encode(arguments, names, by_name, out)) }
    }

    /// As `Call::written_flat`.
    #[doc(hidden)]
    #[inline]
    pub fn written_flat<P: Serialize + ?Sized>(caller: &'c C, head: &'static str, params: &P) -> Self {
        Notify { caller, outgoing: Outgoing::open(head, |out| encode_flat(params, out)) }
    }
}

impl<C: Caller> Notify<'_, C> {
    /// Sends the notification, for programs without an async runtime: this thread waits, as in
    /// [`Call::wait`](crate::Call::wait).
    ///
    /// # Errors
    ///
    /// As awaiting it.
    pub fn wait(self) -> Result<(), CallError> {
        wait(self.into_future()).unwrap_or_else(|| Err(CallError::Unsupported(WAITS_FOR_ITSELF.into())))
    }
}

impl<C: Caller> IntoFuture for Notify<'_, C> {
    type Output = Result<(), CallError>;
    type IntoFuture = NotifyFuture<C::Sent>;

    fn into_future(self) -> Self::IntoFuture {
        NotifyFuture(State::of(self.caller, self.outgoing, C::notify))
    }
}

impl<C> fmt::Debug for Notify<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notify").field("outgoing", &self.outgoing).finish_non_exhaustive()
    }
}

/// A notification on its way: resolves when it has been handed over. It borrows nothing.
#[must_use = "whether it could be sent is known when it is awaited"]
pub struct NotifyFuture<F>(State<F>);

impl<F: Future<Output = Result<(), CallError>> + Unpin> Future for NotifyFuture<F> {
    type Output = Result<(), CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl<F> fmt::Debug for NotifyFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotifyFuture").finish_non_exhaustive()
    }
}
