//! A notification as a value: written when made, sent when awaited.

use super::caller::Caller;
use super::outgoing::Outgoing;
use super::send_state::{SendState, WAITS_FOR_ITSELF};
use crate::block_on::wait;
use crate::error::ClientError;
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
/// use rpc_core::{ClientError, Server, block_on, rpc};
///
/// #[rpc]
/// trait Watch {
///     #[rpc(notification)]
///     async fn file_changed(&self, path: &str);
/// }
/// struct IdleTimer;
/// impl Watch for IdleTimer {
///     async fn file_changed(&self, _path: &str) {}
/// }
///
/// let watch = WatchClient::new(Server::new(WatchService::new(IdleTimer)).caller());
/// block_on(watch.file_changed("a.td"))?;
/// # Ok::<(), ClientError>(())
/// ```
#[must_use = "a notification is sent when it is awaited"]
pub struct NotifyCall<'c, C> {
    caller: &'c C,
    outgoing: serde_json::Result<Outgoing>,
}

impl<'c, C: Caller> NotifyCall<'c, C> {
    pub(super) fn of(caller: &'c C, outgoing: serde_json::Result<Outgoing>) -> Self {
        NotifyCall { caller, outgoing }
    }

    /// A notification that no trait says; `params` as in [`Call::new`](crate::client::Call::new).
    pub fn new<P: Serialize + ?Sized>(caller: &'c C, method: &str, params: &P) -> Self {
        NotifyCall { caller, outgoing: Outgoing::new(method, params) }
    }

    /// What its method's word `timeout` says: the macro writes it.
    #[doc(hidden)]
    pub fn method_timeout(mut self, millis: u64) -> Self {
        self.outgoing = self.outgoing.map(|outgoing| outgoing.method_timeout(millis));
        self
    }

    /// Takes the message out, for a batch.
    pub(super) fn into_outgoing(self) -> serde_json::Result<Outgoing> {
        self.outgoing
    }

    /// As `Call::written`.
    #[doc(hidden)]
    #[inline]
    pub fn encoded(
        caller: &'c C,
        head: &'static str,
        names: &[&str],
        by_name: bool,
        arguments: &impl Arguments,
    ) -> Self {
        NotifyCall { caller, outgoing: Outgoing::open(head, |out| encode(arguments, names, by_name, out)) }
    }

    /// As `Call::encoded_flat`.
    #[doc(hidden)]
    #[inline]
    pub fn encoded_flat<P: Serialize + ?Sized>(caller: &'c C, head: &'static str, params: &P) -> Self {
        NotifyCall { caller, outgoing: Outgoing::open(head, |out| encode_flat(params, out)) }
    }
}

impl<C: Caller> NotifyCall<'_, C> {
    /// Hands the notification over at once, and returns a future that borrows nothing: [`Call::send`](crate::client::Call::send).
    pub fn send(self) -> NotifyFuture<C::SendFuture> {
        NotifyFuture(SendState::of(self.caller, self.outgoing, C::notify))
    }

    /// Sends the notification, for programs without an async runtime: this thread waits, as in
    /// [`Call::wait`](crate::client::Call::wait).
    ///
    /// # Errors
    ///
    /// As awaiting it.
    pub fn wait(self) -> Result<(), ClientError> {
        wait(self.into_future()).unwrap_or_else(|| Err(ClientError::Unsupported(WAITS_FOR_ITSELF.into())))
    }
}

impl<C: Caller> IntoFuture for NotifyCall<'_, C> {
    type Output = Result<(), ClientError>;
    type IntoFuture = NotifyFuture<C::SendFuture>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

impl<C> fmt::Debug for NotifyCall<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notify").field("outgoing", &self.outgoing).finish_non_exhaustive()
    }
}

/// A notification on its way: resolves when it has been handed over. It borrows nothing.
#[must_use = "whether it could be sent is known when it is awaited"]
pub struct NotifyFuture<F>(SendState<F>);

impl<F: Future<Output = Result<(), ClientError>> + Unpin> Future for NotifyFuture<F> {
    type Output = Result<(), ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl<F> fmt::Debug for NotifyFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotifyFuture").finish_non_exhaustive()
    }
}
