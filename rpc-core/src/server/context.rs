//! What a method may know about the call that it answers.

use super::call_context::{BoxedExtras, CallContext, CallExtras};
use super::scope::{RunningHandler, Scope};
use crate::observe::Observer;
use crate::peer::Peer;
use crate::wire::token::copy_of;
use crate::wire::{Id, Message};
use serde_json::value::RawValue;
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::future::{pending, poll_fn};
use std::task::Poll;
use std::time::Duration;

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
/// let response = Server::new(KnownService::new(Mine)).handle_blocking(r#"{"jsonrpc":"2.0","method":"who","id":7}"#);
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"who, id 7","id":7}"#));
/// ```
pub struct Context<'a> {
    head: CallHead<'a>,
    call_context: &'a CallContext<'a>,
    extras: BoxedExtras<'a>,
    /// Which of the handlers of a live connection this is.
    handler: usize,
}

/// What a message asks for, apart from its parameters.
#[derive(Debug, Default)]
pub(super) struct CallHead<'a> {
    method: Cow<'a, str>,
    id: Option<Id<'a>>,
}

impl Clone for CallHead<'_> {
    #[inline]
    fn clone(&self) -> Self {
        CallHead { method: copy_of(&self.method), id: self.id.clone() }
    }
}

impl<'a> CallHead<'a> {
    #[inline]
    pub(super) fn new(method: Cow<'a, str>, id: Option<Id<'a>>) -> Self {
        CallHead { method, id }
    }

    /// What a message says of its call.
    #[cold]
    pub(super) fn of(message: Message<'a>) -> Self {
        match message {
            Message::Request(request) => CallHead::new(request.method, Some(request.id)),
            Message::Notification(notification) => CallHead::new(notification.method, None),
            Message::Response(_) | Message::Invalid(_) => CallHead::default(),
        }
    }

    pub(super) fn method(&self) -> &str {
        &self.method
    }

    #[inline]
    pub(super) fn id(&self) -> Option<&Id<'a>> {
        self.id.as_ref()
    }
}

impl Clone for Context<'_> {
    fn clone(&self) -> Self {
        Context {
            head: self.head.clone(),
            call_context: self.call_context,
            extras: self.extras.clone(),
            handler: self.handler,
        }
    }
}

impl<'a> Context<'a> {
    /// The context of what was asked, with who is there, for a handler that has begun.
    #[inline]
    pub(super) fn of(
        head: &CallHead<'a>,
        call_context: &'a CallContext<'a>,
        handler: &RunningHandler<'_>,
        extras: BoxedExtras<'a>,
    ) -> Self {
        Context { head: head.clone(), call_context, extras, handler: handler.number() }
    }

    /// Who watches.
    #[inline]
    pub(super) fn observer(&self) -> Option<&'a dyn Observer> {
        self.call_context.observer
    }

    fn scope(&self) -> Option<&'a Scope<'a>> {
        self.call_context.scope
    }

    /// The method's name on the wire.
    #[must_use]
    pub fn method(&self) -> &str {
        self.head.method()
    }

    /// The id that the answer will carry; `None` for a notification.
    #[must_use]
    pub fn id(&self) -> Option<&Id<'a>> {
        self.head.id()
    }

    /// The other side of the connection that the call came over, to call it back; `None` when the message came
    /// over none, as in [`Server::handle`](crate::Server::handle).
    ///
    /// While the method waits for a call that it makes through this handle, it holds up nobody: it does not
    /// count as running, and what an exclusive method keeps waiting may begin.
    #[must_use]
    pub fn peer(&self) -> Option<Peer> {
        self.scope().map(|scope| scope.peer(self.handler))
    }

    /// A value that a [middleware](crate::server::Next::insert) gave to this call, or else one that the connection
    /// was [given](crate::connection::Builder::extension).
    #[must_use]
    pub fn extension<T: Any>(&self) -> Option<&T> {
        let own = self.extras.get().and_then(|extras| extras.extensions.get());
        own.or_else(|| self.scope()?.extension())
    }

    /// A member of the message that JSON-RPC does not know, such as `traceparent`: anything beside `jsonrpc`,
    /// `method`, `params` and `id`. The last one, if there are several of the name.
    ///
    /// ```
    /// use rpc_core::{Context, Server, rpc};
    ///
    /// #[rpc]
    /// trait Traced {
    ///     async fn trace(&self, #[rpc(context)] context: &Context<'_>) -> Option<String>;
    /// }
    /// struct Mine;
    /// impl Traced for Mine {
    ///     async fn trace(&self, context: &Context<'_>) -> Option<String> {
    ///         context.member("traceparent").map(|value| value.get().to_owned())
    ///     }
    /// }
    /// let message = r#"{"jsonrpc":"2.0","method":"trace","id":1,"traceparent":[7]}"#;
    /// let response = Server::new(TracedService::new(Mine)).handle_blocking(message);
    /// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"[7]","id":1}"#));
    /// ```
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&'a RawValue> {
        let members = &self.extras.get()?.members;
        members.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// How long the call may take, as its method's word `timeout` says; `None` if the method has all the time. A
    /// server with a [timer](crate::Server::timer) gives it up then.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        self.call_context.config.timeout(self.method())
    }

    /// What a middleware puts around this call.
    pub(super) fn extras(&mut self) -> &mut CallExtras<'a> {
        self.extras.get_or_insert()
    }

    /// The call was answered with an error of this code.
    #[inline]
    pub(super) fn failed(&self, code: i64) {
        if let Some(extras) = self.extras.get()
            && let Some(error_code) = &extras.error_code
        {
            error_code.set(code);
        }
    }

    /// Whether the other side has given the call up. The method is polled once more then, and dropped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        match (self.scope(), self.id()) {
            (Some(scope), Some(id)) => scope.is_cancelled(id),
            _ => false,
        }
    }

    /// Resolves when the other side gives the call up; never, if it does not. It wakes whoever polls it, so it may
    /// stand beside others in whatever runs several futures as one.
    pub async fn cancelled(&self) {
        let (Some(scope), Some(id)) = (self.scope(), self.id()) else { return pending().await };
        let watch = scope.watch(id);
        poll_fn(|task| if watch.poll_cancelled(task.waker()) { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("method", &self.method()).field("id", &self.id()).finish_non_exhaustive()
    }
}
