//! A notification as a value: encoded when it is made, sent when it is awaited.

use super::caller::Caller;
use super::outgoing::Outgoing;
use super::send_state::{SendState, WAIT_WOULD_BLOCK};
use crate::block_on::wait;
use crate::error::ClientError;
use crate::params::{Arguments, encode, encode_flat};
use serde::Serialize;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A notification that is encoded but not sent; `.await` sends it. It gets no response (§4.1).
///
/// After `.await`, the notification is handed to the transport, but may not be written yet. A program that
/// exits right away should first await [`Peer::close`](crate::connection::Peer::close).
///
/// ```
/// use rpc_core::{ClientError, Server, block_on, rpc};
///
/// #[rpc]
/// trait Watch {
///     #[rpc(notification)]
///     async fn file_changed(&self, path: &str);
/// }
/// struct MyWatch;
/// impl Watch for MyWatch {
///     async fn file_changed(&self, _path: &str) {}
/// }
///
/// let watch = WatchClient::new(Server::new(WatchService::new(MyWatch)).caller());
/// block_on(watch.file_changed("a.td"))?;
/// # Ok::<(), ClientError>(())
/// ```
#[must_use = "a notification is sent when it is awaited"]
pub struct NotifyCall<'c, C> {
    caller: &'c C,
    outgoing: serde_json::Result<Outgoing>,
}

impl<'c, C: Caller> NotifyCall<'c, C> {
    /// Returns a notification of a method that no trait declares. `params` are as in
    /// [`Call::new`](crate::client::Call::new).
    pub fn new<P: Serialize + ?Sized>(caller: &'c C, method: &str, params: &P) -> Self {
        NotifyCall { caller, outgoing: Outgoing::new(method, params) }
    }

    pub(super) fn from_outgoing(caller: &'c C, outgoing: serde_json::Result<Outgoing>) -> Self {
        NotifyCall { caller, outgoing }
    }

    /// Sends the notification at once, and returns a future that borrows nothing, as
    /// [`Call::send`](crate::client::Call::send) does.
    pub fn send(self) -> NotifyFuture<C::SendFuture> {
        NotifyFuture(SendState::send(self.caller, self.outgoing, C::notify))
    }

    /// Sends the notification and blocks this thread until it is handed to the transport, as
    /// [`Call::wait`](crate::client::Call::wait) does.
    ///
    /// # Errors
    ///
    /// The same as those of `.await`.
    pub fn wait(self) -> Result<(), ClientError> {
        wait(self.into_future()).unwrap_or_else(|| Err(ClientError::Unsupported(WAIT_WOULD_BLOCK.into())))
    }
}

// For generated code, as in `Call`.
impl<'c, C: Caller> NotifyCall<'c, C> {
    /// Encodes a notification with one parameter for each argument.
    #[doc(hidden)]
    pub fn encoded(
        caller: &'c C,
        head: &'static str,
        names: &[&str],
        by_name: bool,
        arguments: &impl Arguments,
    ) -> Self {
        NotifyCall { caller, outgoing: Outgoing::encode(head, |out| encode(arguments, names, by_name, out)) }
    }

    /// Encodes a notification with one argument that is the whole of the params.
    #[doc(hidden)]
    pub fn encoded_flat<P: Serialize + ?Sized>(caller: &'c C, head: &'static str, params: &P) -> Self {
        NotifyCall { caller, outgoing: Outgoing::encode(head, |out| encode_flat(params, out)) }
    }

    /// Sets the timeout from the option `timeout` of the method, in milliseconds.
    #[doc(hidden)]
    pub fn method_timeout(mut self, millis: u64) -> Self {
        self.outgoing = self.outgoing.map(|outgoing| outgoing.method_timeout(Duration::from_millis(millis)));
        self
    }

    /// Returns the message, for a batch.
    pub(super) fn into_outgoing(self) -> serde_json::Result<Outgoing> {
        self.outgoing
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
        f.debug_struct("NotifyCall").field("outgoing", &self.outgoing).finish_non_exhaustive()
    }
}

/// The future of a notification that was sent. It resolves when the notification is handed to the transport,
/// and borrows nothing. The example is at [`NotifyCall`].
#[must_use = "futures do nothing unless awaited; dropping this one may keep the notification from being sent"]
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
