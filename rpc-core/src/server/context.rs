//! What a method may know about the call that it answers.

use crate::wire::token::copy_of;
use crate::wire::{Id, Message};
use std::borrow::Cow;

/// The call that is being answered, apart from its parameters.
///
/// ```
/// use rpc_core::{Context, Server, rpc};
///
/// #[rpc]
/// trait Known {
///     async fn who(&self, #[rpc(context)] context: &Context<'_>) -> String;
/// }
/// struct Mine;
/// impl Known for Mine {
///     async fn who(&self, context: &Context<'_>) -> String {
///         let id = context.id().map_or("none", |id| id.as_token());
///         format!("{}, id {id}", context.method())
///     }
/// }
/// let answer = Server::new(KnownService::new(Mine)).handle_blocking(r#"{"jsonrpc":"2.0","method":"who","id":7}"#);
/// assert_eq!(answer.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"who, id 7","id":7}"#));
/// ```
#[derive(Debug, Default)]
pub struct Context<'a> {
    method: Cow<'a, str>,
    id: Option<Id<'a>>,
}

impl Clone for Context<'_> {
    #[inline]
    fn clone(&self) -> Self {
        Context { method: copy_of(&self.method), id: self.id.clone() }
    }
}

impl<'a> Context<'a> {
    #[inline]
    pub(super) fn new(method: Cow<'a, str>, id: Option<Id<'a>>) -> Self {
        Context { method, id }
    }

    /// What a message says of its call.
    #[cold]
    pub(super) fn of(message: Message<'a>) -> Self {
        match message {
            Message::Request(request) => Context::new(request.method, Some(request.id)),
            Message::Notification(notification) => Context::new(notification.method, None),
            Message::Response(_) | Message::Invalid(_) => Context::default(),
        }
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
