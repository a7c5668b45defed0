//! Middleware: code around each call of a service, for authentication, rate limits, logs or metrics.

use super::batch_info::BatchInfo;
use super::context::Context;
use super::error_code::ErrorCode;
use super::info::{MethodInfo, MethodNames};
use super::layered::Layered;
use super::responder::{Responded, Responder};
use super::service::Service;
use crate::params::{BadParams, length_of};
use crate::wire::ErrorObject;
use serde_json::value::RawValue;
use std::any::Any;
use std::fmt;

/// Code around each call of a service. It may inspect a call, reject it, respond in place of the method, or
/// attach values for the method.
///
/// It runs for every call and notification, also for those of methods that do not exist, before their params
/// are decoded. The members of a batch pass one by one, after the batch has passed [`batch`](Self::batch).
///
/// ```
/// use rpc_core::{Context, ErrorObject, Server, rpc};
/// use rpc_core::server::{Middleware, Next, Responded, Service};
///
/// /// The authenticated caller.
/// struct User(&'static str);
///
/// /// Rejects calls whose message has no valid member `token`.
/// struct Authentication;
///
/// impl Middleware for Authentication {
///     async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Responded {
///         let token = next.member("token").map_or("", |token| token.get());
///         if token != r#""sesame""# {
///             return next.refuse(&ErrorObject::new(401, "Unauthorized"));
///         }
///         next.insert(User("Ali"));
///         next.run().await
///     }
/// }
///
/// #[rpc]
/// trait Greeter {
///     async fn greet(&self, #[rpc(context)] context: &Context<'_>) -> String;
/// }
/// struct MyGreeter;
/// impl Greeter for MyGreeter {
///     async fn greet(&self, context: &Context<'_>) -> String {
///         format!("Hello, {}", context.extension::<User>().map_or("stranger", |user| user.0))
///     }
/// }
///
/// let server = Server::new(GreeterService::new(MyGreeter).layer(Authentication));
/// let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"greet","id":1,"token":"sesame"}"#);
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"Hello, Ali","id":1}"#));
/// let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"greet","id":2}"#);
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","error":{"code":401,"message":"Unauthorized"},"id":2}"#));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a middleware",
    label = "expected a type that implements `Middleware`",
    note = "a middleware is a value of a type that implements `Middleware`, and not a function"
)]
pub trait Middleware: Send + Sync + 'static {
    /// Handles a call: runs the method with [`Next::run`], or responds in its place with [`Next::respond`] or
    /// [`Next::refuse`].
    fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> impl Future<Output = Responded> + Send + 'a;

    /// Accepts or rejects a batch (§6) before any member runs. By default it accepts every batch.
    ///
    /// # Errors
    ///
    /// Returns the error that the batch is rejected with: one response, with the id null.
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        let _ = batch;
        Ok(())
    }
}

/// A call of a [`Layered`] service, whose params are decoded after its middleware.
#[derive(Debug)]
pub struct LayeredCall<'de, T> {
    method: Option<T>,
    params: &'de str,
}

impl<M: Middleware, S: Service> Service for Layered<M, S> {
    /// `None` stands for a method that does not exist.
    type Method = Option<S::Method>;
    type Call<'de> = LayeredCall<'de, S::Method>;
    const NAMES: MethodNames = S::NAMES;

    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo)) {
        self.service.for_each_method(each);
    }
    fn find(&self, name: &str) -> Option<Self::Method> {
        self.service.find(name).map(Some)
    }
    fn fallback(&self) -> Option<Self::Method> {
        Some(self.service.fallback())
    }
    fn info(&self, method: Self::Method) -> &MethodInfo {
        const UNKNOWN: &MethodInfo = &MethodInfo::new("", &[]);
        method.map_or(UNKNOWN, |method| self.service.info(method))
    }
    fn decode<'de>(
        &'de self,
        method: Self::Method,
        params: &'de str,
        call: &mut Option<Self::Call<'de>>,
    ) -> Result<usize, BadParams> {
        let length = length_of(params)?;
        *call = Some(LayeredCall { method, params: &params[..length] });
        Ok(length)
    }
    fn run<'a>(
        &'a self,
        call: Self::Call<'a>,
        responder: Responder<'a>,
    ) -> impl Future<Output = Responded> + Send + 'a {
        self.middleware.call(Next { service: &self.service, call, responder })
    }
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        self.middleware.batch(batch)?;
        self.service.batch(batch)
    }
}

/// A call in a middleware, and the service that handles it next. The example is at [`Middleware`].
#[must_use = "a call needs a response"]
pub struct Next<'a, S: Service> {
    service: &'a S,
    call: LayeredCall<'a, S::Method>,
    responder: Responder<'a>,
}

impl<'a, S: Service> Next<'a, S> {
    /// Returns the context of the call: its method, id, peer and extensions.
    pub fn context(&self) -> &Context<'a> {
        self.responder.context()
    }

    /// Returns the description of the method, `None` if the method does not exist.
    pub fn method(&self) -> Option<&'a MethodInfo> {
        self.call.method.map(|method| self.service.info(method))
    }

    /// Returns the params as they were sent, `None` if they are absent or null.
    pub fn params(&self) -> Option<&'a RawValue> {
        serde_json::from_str(self.call.params).ok().filter(|params: &&RawValue| params.get() != "null")
    }

    /// Returns a member of the message that JSON-RPC does not define, as [`Context::member`] does.
    pub fn member(&self, name: &str) -> Option<&'a RawValue> {
        self.context().member(name)
    }

    /// Attaches a value to the call, one of each type. The method reads it with [`Context::extension`].
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.responder.insert(value);
    }

    /// Returns a cell that receives the code of the call's error when the call ends:
    ///
    /// ```
    /// use rpc_core::Server;
    /// use rpc_core::server::{Middleware, Next, Responded, Service};
    ///
    /// struct Log;
    /// impl Middleware for Log {
    ///     async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Responded {
    ///         let (method, error_code) = (next.context().method().to_owned(), next.error_code());
    ///         let responded = next.run().await;
    ///         println!("{method}: {:?}", error_code.get());
    ///         responded
    ///     }
    /// }
    /// let server = Server::new(().layer(Log));
    /// # let _ = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"a","id":1}"#);
    /// ```
    pub fn error_code(&mut self) -> ErrorCode {
        self.responder.error_code()
    }

    /// Decodes the params and runs the method.
    pub async fn run(self) -> Responded {
        let Next { service, call: LayeredCall { method, params }, responder } = self;
        let Some(method) = method else { return responder.error(&ErrorObject::method_not_found()) };
        let mut call = None;
        match (service.decode(method, params, &mut call), call) {
            (Ok(_), Some(call)) => service.run(call, responder).await,
            (Ok(_), None) => responder.error(&ErrorObject::internal_error()),
            (Err(bad), _) => responder.error(&bad.into()),
        }
    }

    /// Responds with a result, in place of the method.
    #[must_use]
    pub fn respond<T: serde::Serialize + ?Sized>(self, result: &T) -> Responded {
        self.responder.value(result)
    }

    /// Responds with an error, in place of the method.
    #[must_use]
    pub fn refuse(self, error: &ErrorObject) -> Responded {
        self.responder.error(error)
    }
}

impl<S: Service> fmt::Debug for Next<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("context", self.context()).finish_non_exhaustive()
    }
}
