//! The context of a call, for the handler.

use super::call_context::{BoxedExtras, CallContext, CallExtras};
use super::scope::{RunningHandler, Scope};
use crate::observe::ObserverRef;
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

/// The call being handled: its method, id, peer and extensions.
///
/// A method gets it in a parameter with the option `context`, which is not sent on the wire:
///
/// ```
/// use rpc_core::{Context, Server, rpc};
///
/// #[rpc]
/// trait Echo {
///     async fn describe(&self, #[rpc(context)] context: &Context<'_>) -> String;
/// }
/// struct MyEcho;
/// impl Echo for MyEcho {
///     async fn describe(&self, context: &Context<'_>) -> String {
///         let id = context.id().map_or("none", |id| id.as_token());
///         format!("{}, id {id}", context.method())
///     }
/// }
/// let server = Server::new(EchoService::new(MyEcho));
/// let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"describe","id":7}"#);
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"describe, id 7","id":7}"#));
/// ```
#[allow(clippy::struct_field_names, reason = "a `CallContext` has this name in the whole module")]
pub struct Context<'a> {
    head: CallHead<'a>,
    call_context: &'a CallContext<'a>,
    extras: BoxedExtras<'a>,
    /// The number of the handler among those of its message, 0 without a connection.
    handler: usize,
}

/// The method and the id of a call. A notification has no id.
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

    #[cold]
    pub(super) fn from_message(message: Message<'a>) -> Self {
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
    #[inline]
    pub(super) fn new(
        head: &CallHead<'a>,
        call_context: &'a CallContext<'a>,
        handler: &RunningHandler<'_>,
        extras: BoxedExtras<'a>,
    ) -> Self {
        Context { head: head.clone(), call_context, extras, handler: handler.number() }
    }

    #[inline]
    pub(super) fn observer(&self) -> ObserverRef<'a> {
        self.call_context.observer
    }

    fn scope(&self) -> Option<&'a Scope<'a>> {
        self.call_context.scope
    }

    /// Returns the wire name of the method, as the message has it.
    #[must_use]
    pub fn method(&self) -> &str {
        self.head.method()
    }

    /// Returns the id of the call, `None` for a notification.
    #[must_use]
    pub fn id(&self) -> Option<&Id<'a>> {
        self.head.id()
    }

    /// Returns a handle to the peer that sent the call, to call it back. Returns `None` if the message did
    /// not arrive over a connection, as with [`Server::handle`](crate::Server::handle).
    ///
    /// While the handler waits for a call that it makes through this handle, it does not count towards
    /// [`max_running`](crate::connection::Builder::max_running), and if its method is exclusive, other calls
    /// may start.
    #[must_use]
    pub fn peer(&self) -> Option<Peer> {
        self.scope().map(|scope| scope.peer(self.handler))
    }

    /// Returns the value of type `T` that a [middleware](crate::server::Next::insert) attached to this call,
    /// or else the one that is attached to the [connection](crate::connection::Builder::extension).
    #[must_use]
    pub fn extension<T: Any>(&self) -> Option<&T> {
        let own = self.extras.get().and_then(|extras| extras.extensions.get());
        own.or_else(|| self.scope()?.extension())
    }

    /// Returns a member of the message that JSON-RPC does not define, such as `traceparent`: any member but
    /// `jsonrpc`, `method`, `params` and `id`. Of several members with this name, the last one counts.
    ///
    /// ```
    /// use rpc_core::{Context, Server, rpc};
    ///
    /// #[rpc]
    /// trait Traced {
    ///     async fn trace(&self, #[rpc(context)] context: &Context<'_>) -> Option<String>;
    /// }
    /// struct MyTraced;
    /// impl Traced for MyTraced {
    ///     async fn trace(&self, context: &Context<'_>) -> Option<String> {
    ///         context.member("traceparent").map(|value| value.get().to_owned())
    ///     }
    /// }
    /// let message = r#"{"jsonrpc":"2.0","method":"trace","id":1,"traceparent":[7]}"#;
    /// let response = Server::new(TracedService::new(MyTraced)).handle_blocking(message);
    /// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"[7]","id":1}"#));
    /// ```
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&'a RawValue> {
        let members = &self.extras.get()?.members;
        members.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// Returns the `timeout` option of the method, `None` if it has none. A server with a
    /// [timer](crate::Server::timer) drops the handler when it elapses.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        self.call_context.config.timeout(self.method())
    }

    pub(super) fn extras_mut(&mut self) -> &mut CallExtras<'a> {
        self.extras.get_or_insert()
    }

    /// Records the code of the error that the call ends with, if a middleware asked for it.
    #[inline]
    pub(super) fn record_error(&self, code: i64) {
        if let Some(extras) = self.extras.get()
            && let Some(error_code) = &extras.error_code
        {
            error_code.set(code);
        }
    }

    /// Returns whether the peer has cancelled the call. The handler is then polled once more and dropped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        match (self.scope(), self.id()) {
            (Some(scope), Some(id)) => scope.is_cancelled(id),
            _ => false,
        }
    }

    /// Resolves when the peer cancels the call, and stays pending if it does not. It wakes the task or
    /// combinator that polls it, so it works in `select!`, `join!` and the like.
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
