//! A batch as a whole, as it is shown before anything of it runs.

use super::call_context::CallContext;
use std::any::Any;
use std::fmt;

/// What is known about a batch before anything of it runs.
///
/// ```
/// use rpc_core::{ErrorObject, Server};
/// use rpc_core::server::{BatchInfo, Middleware, Next, Responded, Service};
///
/// /// Has calls come a few at a time.
/// struct Few;
///
/// impl Middleware for Few {
///     async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
///         next.run().await
///     }
///     fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
///         if batch.calls() > 2 { Err(ErrorObject::new(429, "two at a time")) } else { Ok(()) }
///     }
/// }
///
/// let server = Server::new(().layer(Few));
/// let call = r#"{"jsonrpc":"2.0","method":"a","id":1}"#;
/// let response = server.handle_blocking(format!("[{call},{call},{call}]"));
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","error":{"code":429,"message":"two at a time"},"id":null}"#));
/// ```
pub struct BatchInfo<'a> {
    members: usize,
    /// Counts calls and notifications: who does not ask pays nothing.
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

    /// How many members it has, whatever they are.
    #[must_use]
    pub fn members(&self) -> usize {
        self.members
    }

    /// How many of them are calls that are to be run. It counts anew each time.
    #[must_use]
    pub fn calls(&self) -> usize {
        (self.count)().0
    }

    /// How many of them are notifications that are to be run. It counts anew each time.
    #[must_use]
    pub fn notifications(&self) -> usize {
        (self.count)().1
    }

    /// A value that the connection was [given](crate::connection::Builder::extension), if the batch came over one.
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
