//! What a method may know about the call that it answers.

use crate::wire::Id;
use std::borrow::Cow;

/// The call that is being answered, apart from its parameters.
///
/// ```
/// use rpc_core::server::{RawCall, Router};
/// use rpc_core::{CallError, ErrorObject, Server, block_on};
///
/// let router = Router::builder()
///     .fallback(async |call: RawCall| Ok::<_, ErrorObject>(call.method))
///     .build()?;
/// let answer = block_on(Server::new(router).handle(r#"{"jsonrpc":"2.0","method":"any","id":1}"#));
/// assert_eq!(answer.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"any","id":1}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Context<'a> {
    method: Cow<'a, str>,
    id: Option<Id<'a>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(method: Cow<'a, str>, id: Option<Id<'a>>) -> Self {
        Context { method, id }
    }

    /// The method's name on the wire.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The id that the answer will carry; `None` for a notification.
    #[must_use]
    pub fn id(&self) -> Option<&Id<'a>> {
        self.id.as_ref()
    }
}
