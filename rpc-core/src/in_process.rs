//! A caller that passes calls to a server in the same process.

use crate::client::{BatchResponses, BoxFuture, Caller, Outgoing, OutgoingBatch};
use crate::error::ClientError;
use crate::server::{Server, Service};
use crate::wire::Id;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A caller that passes calls to a [`Server`] in the same process, as the texts that a transport would carry.
///
/// ```
/// use rpc_core::{ClientError, Server, block_on, rpc};
///
/// #[rpc]
/// trait Calc {
///     async fn add(&self, a: i64, b: i64) -> i64;
/// }
/// struct MyCalc;
/// impl Calc for MyCalc {
///     async fn add(&self, a: i64, b: i64) -> i64 {
///         a + b
///     }
/// }
///
/// let calc = CalcClient::new(Server::new(CalcService::new(MyCalc)).caller());
/// assert_eq!(block_on(calc.add(1, 2))?, 3);
/// # Ok::<(), ClientError>(())
/// ```
pub struct InProcess<S: Service> {
    server: Server<S>,
    next_id: Arc<AtomicU64>,
}

impl<S: Service> Server<S> {
    /// Returns a caller that passes its calls to this server.
    #[must_use]
    pub fn caller(&self) -> InProcess<S> {
        InProcess { server: self.clone(), next_id: Arc::new(AtomicU64::new(1)) }
    }
}

impl<S: Service> InProcess<S> {
    fn next_id(&self) -> Id<'static> {
        Id::from(self.next_id.fetch_add(1, Ordering::Relaxed))
    }
}

/// The failure of a call without a response, which a server does not cause.
fn no_response() -> ClientError {
    ClientError::Closed("the server returned no response".into())
}

impl<S: Service> Caller for InProcess<S> {
    type ResponseFuture = BoxFuture<Result<String, ClientError>>;
    type SendFuture = BoxFuture<Result<(), ClientError>>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        let server = self.server.clone();
        let request = outgoing.into_request(&self.next_id());
        Box::pin(async move { server.handle(request).await.ok_or_else(no_response) })
    }

    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        let server = self.server.clone();
        Box::pin(async move {
            server.handle(outgoing.into_notification()).await;
            Ok(())
        })
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        let server = self.server.clone();
        let sent = batch.encode(|| self.next_id());
        Box::pin(async move {
            match server.handle(sent.text()).await {
                None if !sent.ids().is_empty() => Err(no_response()),
                response => sent.pair(response.as_deref().unwrap_or_default()),
            }
        })
    }
}

impl<S: Service> Clone for InProcess<S> {
    fn clone(&self) -> Self {
        InProcess { server: self.server.clone(), next_id: self.next_id.clone() }
    }
}

impl<S: Service> fmt::Debug for InProcess<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").field("server", &self.server).finish_non_exhaustive()
    }
}
