//! A batch before its members run, as middleware sees it.

use super::call_context::CallContext;
use std::any::Any;
use std::fmt;

/// A batch (§6) before its members run, for [`Middleware::batch`](super::Middleware::batch).
///
/// ```
/// use rpc_core::{ErrorObject, Server};
/// use rpc_core::server::{BatchInfo, Middleware, Next, Responded, Service};
///
/// /// Rejects batches of more than two calls.
/// struct SmallBatches;
///
/// impl Middleware for SmallBatches {
///     async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
///         next.run().await
///     }
///     fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
///         if batch.calls() > 2 { Err(ErrorObject::new(429, "Too many calls")) } else { Ok(()) }
///     }
/// }
///
/// let server = Server::new(().layer(SmallBatches));
/// let call = r#"{"jsonrpc":"2.0","method":"a","id":1}"#;
/// let response = server.handle_blocking(format!("[{call},{call},{call}]"));
/// let error = r#"{"jsonrpc":"2.0","error":{"code":429,"message":"Too many calls"},"id":null}"#;
/// assert_eq!(response.as_deref(), Some(error));
/// ```
pub struct BatchInfo<'a> {
    members: usize,
    /// Counts calls and notifications on demand, because most services do not need the counts.
    count: &'a dyn Fn() -> (usize, usize),
    call_context: &'a CallContext<'a>,
}

impl<'a> BatchInfo<'a> {
    pub(super) fn new(
        members: usize,
        count: &'a dyn Fn() -> (usize, usize),
        call_context: &'a CallContext<'a>,
    ) -> Self {
        BatchInfo { members, count, call_context }
    }

    /// Returns the number of members, valid or not.
    #[must_use]
    pub fn members(&self) -> usize {
        self.members
    }

    /// Returns the number of calls that will run, that is, without rejected ones. Each use counts them again.
    #[must_use]
    pub fn calls(&self) -> usize {
        (self.count)().0
    }

    /// Returns the number of notifications that will run. Each use counts them again.
    #[must_use]
    pub fn notifications(&self) -> usize {
        (self.count)().1
    }

    /// Returns a value attached to the [connection](crate::connection::Builder::extension) of the batch.
    #[must_use]
    pub fn extension<T: Any>(&self) -> Option<&T> {
        self.call_context.scope?.extension()
    }
}

impl fmt::Debug for BatchInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchInfo")
            .field("members", &self.members)
            .field("calls", &self.calls())
            .field("notifications", &self.notifications())
            .finish_non_exhaustive()
    }
}
