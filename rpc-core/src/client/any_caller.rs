//! A caller whose type is erased.

use super::caller::{BoxFuture, Caller};
use super::outgoing::Outgoing;
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use crate::error::ClientError;
use std::fmt;
use std::sync::Arc;

/// A [`Caller`] whose type is erased, for programs that choose their caller at run time.
///
/// Clones share the caller. Each message costs one allocation more than with the caller itself.
///
/// ```
/// use rpc_core::client::AnyCaller;
/// use rpc_core::mock::Mock;
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
/// let in_process = AnyCaller::new(Server::new(CalcService::new(MyCalc)).caller());
/// let mocked = AnyCaller::new(Mock::new().on("add", |_| Ok(3)));
/// for caller in [in_process, mocked] {
///     let calc: CalcClient<AnyCaller> = CalcClient::new(caller);
///     assert_eq!(block_on(calc.add(1, 2))?, 3);
/// }
/// # Ok::<(), ClientError>(())
/// ```
#[derive(Clone)]
pub struct AnyCaller(Arc<dyn DynCaller>);

impl AnyCaller {
    /// Returns a caller that forwards to `caller`.
    pub fn new(caller: impl Caller) -> Self {
        AnyCaller(Arc::new(caller))
    }
}

/// A [`Caller`] with boxed futures, which can be a trait object.
trait DynCaller: Send + Sync {
    fn dyn_call(&self, outgoing: Outgoing) -> BoxFuture<Result<String, ClientError>>;
    fn dyn_notify(&self, outgoing: Outgoing) -> BoxFuture<Result<(), ClientError>>;
    fn dyn_batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses>;
    fn dyn_supports_timeouts(&self) -> bool;
}

impl<C: Caller> DynCaller for C {
    fn dyn_call(&self, outgoing: Outgoing) -> BoxFuture<Result<String, ClientError>> {
        Box::pin(self.call(outgoing))
    }
    fn dyn_notify(&self, outgoing: Outgoing) -> BoxFuture<Result<(), ClientError>> {
        Box::pin(self.notify(outgoing))
    }
    fn dyn_batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        self.batch(batch)
    }
    fn dyn_supports_timeouts(&self) -> bool {
        self.supports_timeouts()
    }
}

impl Caller for AnyCaller {
    type ResponseFuture = BoxFuture<Result<String, ClientError>>;
    type SendFuture = BoxFuture<Result<(), ClientError>>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        self.0.dyn_call(outgoing)
    }
    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        self.0.dyn_notify(outgoing)
    }
    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        self.0.dyn_batch(batch)
    }
    fn supports_timeouts(&self) -> bool {
        self.0.dyn_supports_timeouts()
    }
}

impl fmt::Debug for AnyCaller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyCaller").finish_non_exhaustive()
    }
}
