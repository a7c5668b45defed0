//! The trait of callers, which send the messages of clients.

use super::outgoing::Outgoing;
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use crate::error::ClientError;
use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;

/// A boxed future, for callers whose future has no name.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Sends calls, notifications and batches, and returns the responses. A generated client works over any
/// caller.
///
/// An [`Arc`] of a caller is a caller too, so that several clients can share it. A caller that wraps another
/// must also forward [`batch`](Caller::batch) and [`supports_timeouts`](Caller::supports_timeouts).
///
/// ```
/// use rpc_core::client::{Caller, Outgoing};
/// use rpc_core::wire::Id;
/// use rpc_core::{ClientError, block_on, rpc};
/// use std::future::{Ready, ready};
///
/// #[rpc]
/// trait Greeter {
///     async fn greet(&self, name: &str) -> String;
/// }
///
/// /// Responds to every call with `"hi"`.
/// struct Hi;
///
/// impl Caller for Hi {
///     type ResponseFuture = Ready<Result<String, ClientError>>;
///     type SendFuture = Ready<Result<(), ClientError>>;
///
///     fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
///         let request = outgoing.into_request(&Id::from(1));
///         assert_eq!(request, r#"{"jsonrpc":"2.0","method":"greet","params":{"name":"Ada"},"id":1}"#);
///         ready(Ok(r#"{"jsonrpc":"2.0","result":"hi","id":1}"#.to_owned()))
///     }
///     fn notify(&self, _: Outgoing) -> Self::SendFuture {
///         ready(Ok(()))
///     }
/// }
///
/// assert_eq!(block_on(GreeterClient::new(Hi).greet("Ada"))?, "hi");
/// # Ok::<(), ClientError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a caller",
    label = "expected a `Caller`",
    note = "pass a `Caller`, such as `server.caller()`, to `new`; pass an address to `connect` or `connect_blocking`"
)]
pub trait Caller: Send + Sync + 'static {
    /// The future of a call. It resolves to the text of the response.
    type ResponseFuture: Future<Output = Result<String, ClientError>> + Send + Unpin;
    /// The future of a notification. It resolves when the notification is handed to the transport.
    type SendFuture: Future<Output = Result<(), ClientError>> + Send + Unpin;

    /// Sends a call. The caller chooses the id, unless the call has an [explicit one](Outgoing::id).
    ///
    /// The future must resolve eventually, to the unchanged text of the response with this id. Dropping it
    /// cancels the call.
    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture;

    /// Sends a notification.
    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture;

    /// Sends a batch (§6). The future resolves to the unchanged texts of the responses, in the order of the
    /// calls.
    ///
    /// [`OutgoingBatch::encode`] and [`SentBatch::pair`](super::SentBatch::pair) do this for callers that
    /// exchange texts. The default implementation fails with [`ClientError::Unsupported`].
    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        drop(batch);
        Box::pin(ready(Err(ClientError::Unsupported("the caller does not support batches".into()))))
    }

    /// Returns whether the caller enforces the [timeout of a call](super::Call::timeout), `false` by default.
    /// Without this support, a call with a timeout fails with [`ClientError::Unsupported`], since it could
    /// wait without limit.
    fn supports_timeouts(&self) -> bool {
        false
    }
}

impl<C: Caller + ?Sized> Caller for Arc<C> {
    type ResponseFuture = C::ResponseFuture;
    type SendFuture = C::SendFuture;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        C::call(self, outgoing)
    }
    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        C::notify(self, outgoing)
    }
    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        C::batch(self, batch)
    }
    fn supports_timeouts(&self) -> bool {
        C::supports_timeouts(self)
    }
}
