//! Any caller, behind one type.

use super::caller::{BoxFuture, Caller};
use super::outgoing::Outgoing;
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use crate::error::ClientError;
use std::fmt;
use std::sync::Arc;

/// Any [`Caller`], behind one type. A program that chooses its caller at run time names its clients
/// `CalcClient<AnyCaller>`. Clones share the caller.
///
/// Each call, notification and batch costs one box more than with the caller itself.
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
/// struct App {
///     calc: CalcClient<AnyCaller>,
/// }
///
/// let served = AnyCaller::new(Server::new(CalcService::new(MyCalc)).caller());
/// let mocked = AnyCaller::new(Mock::new().on("add", |_| Ok(7)));
/// for caller in [served, mocked] {
///     let app = App { calc: CalcClient::new(caller) };
///     assert!(block_on(app.calc.add(1, 2))? > 0);
/// }
/// # Ok::<(), ClientError>(())
/// ```
#[derive(Clone)]
pub struct AnyCaller(Arc<dyn Erased>);

impl AnyCaller {
    /// Returns a caller that forwards to `caller`.
    pub fn new(caller: impl Caller) -> Self {
        AnyCaller(Arc::new(caller))
    }
}

/// A [`Caller`] whose futures are boxed, so that it can be a trait object.
trait Erased: Send + Sync {
    fn boxed_call(&self, outgoing: Outgoing) -> BoxFuture<Result<String, ClientError>>;
    fn boxed_notify(&self, outgoing: Outgoing) -> BoxFuture<Result<(), ClientError>>;
    fn boxed_batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses>;
    fn has_timeouts(&self) -> bool;
}

impl<C: Caller> Erased for C {
    fn boxed_call(&self, outgoing: Outgoing) -> BoxFuture<Result<String, ClientError>> {
        Box::pin(self.call(outgoing))
    }
    fn boxed_notify(&self, outgoing: Outgoing) -> BoxFuture<Result<(), ClientError>> {
        Box::pin(self.notify(outgoing))
    }
    fn boxed_batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        self.batch(batch)
    }
    fn has_timeouts(&self) -> bool {
        self.supports_timeouts()
    }
}

impl Caller for AnyCaller {
    type ResponseFuture = BoxFuture<Result<String, ClientError>>;
    type SendFuture = BoxFuture<Result<(), ClientError>>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        self.0.boxed_call(outgoing)
    }
    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        self.0.boxed_notify(outgoing)
    }
    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        self.0.boxed_batch(batch)
    }
    fn supports_timeouts(&self) -> bool {
        self.0.has_timeouts()
    }
}

impl fmt::Debug for AnyCaller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyCaller").finish_non_exhaustive()
    }
}
