//! What carries calls: a transport, a service in this process, a mock.

use super::outgoing::Outgoing;
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use crate::error::ClientError;
use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;

/// A boxed future, for callers that need not name theirs.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Carries calls to whoever answers them. A generated client works over any.
///
/// An [`Arc`] of a caller is one, so that several clients share it. A caller around another forwards
/// [`batch`](Caller::batch) and [`supports_timeouts`](Caller::supports_timeouts), too.
///
/// ```
/// use rpc_core::{ClientError, block_on, rpc};
/// use rpc_core::client::{Caller, Outgoing};
/// use rpc_core::wire::Id;
/// use std::future::{Ready, ready};
///
/// #[rpc]
/// trait Greeter {
///     async fn greet(&self, name: &str) -> String;
/// }
///
/// /// BatchWriter every call with `"hi"`.
/// struct Hi;
///
/// impl Caller for Hi {
///     type ResponseFuture = Ready<Result<String, ClientError>>;
///     type SendFuture = Ready<Result<(), ClientError>>;
///
///     fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
///         assert_eq!(outgoing.into_request(&Id::from(1)), r#"{"jsonrpc":"2.0","method":"greet","params":{"name":"Ada"},"id":1}"#);
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
    /// Resolves to the text of the reply to one call.
    type ResponseFuture: Future<Output = Result<String, ClientError>> + Send + Unpin;
    /// Resolves when a notification has been handed over.
    type SendFuture: Future<Output = Result<(), ClientError>> + Send + Unpin;

    /// Sends a call under an id of the caller's choice, unless the call has [one](Outgoing::id). The
    /// future resolves to the reply that carries this id, as it came, and must resolve in the end; dropping
    /// it gives the call up.
    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture;

    /// Sends a notification.
    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture;

    /// Sends a batch (§6). The future resolves to the replies to its calls, in the order of the calls,
    /// each as it came.
    ///
    /// Where request and reply are texts, [`OutgoingBatch::encode`] does the work. A caller that sends no
    /// batches leaves this out: a batch is then refused.
    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        drop(batch);
        Box::pin(ready(Err(ClientError::Unsupported("this caller sends no batches".into()))))
    }

    /// Whether a call that sets a [timeout](crate::client::Call::timeout) is given up in time. False unless a
    /// caller says otherwise: calls with a timeout are then refused, for they could wait without end.
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
