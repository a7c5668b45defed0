//! What stands around every call of a service: authentication, limits, logs, measurements.

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

/// Stands around the calls of a service: it may look, refuse, answer itself, or give the method something on
/// its way.
///
/// It sees every call and notification, members of batches one by one, before the params are decoded; also those of
/// methods that nobody serves. A batch it sees [as a whole](Self::batch), too.
///
/// ```
/// use rpc_core::{Context, ErrorObject, Server, rpc};
/// use rpc_core::server::{Middleware, Next, Responded, Service};
///
/// /// Who calls, once that is known.
/// struct User(String);
///
/// /// Lets nobody in who does not say the word.
/// struct Guarded;
///
/// impl Middleware for Guarded {
///     async fn call<'a, S: Service>(&'a self, mut next: Next<'a, S>) -> Responded {
///         let word = next.params().map_or("", |params| params.get());
///         if !word.contains("sesame") {
///             return next.refuse(&ErrorObject::new(401, "say the word"));
///         }
///         next.insert(User("Ali".to_owned()));
///         next.run().await
///     }
/// }
///
/// #[rpc]
/// trait Cave {
///     async fn open(&self, word: String, #[rpc(context)] context: &Context<'_>) -> String;
/// }
/// struct Rock;
/// impl Cave for Rock {
///     async fn open(&self, _word: String, context: &Context<'_>) -> String {
///         format!("come in, {}", context.extension::<User>().map_or("stranger", |user| &user.0))
///     }
/// }
///
/// let server = Server::new(CaveService::new(Rock).layer(Guarded));
/// let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"open","params":["sesame"],"id":1}"#);
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"come in, Ali","id":1}"#));
/// let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"open","params":["barley"],"id":2}"#);
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","error":{"code":401,"message":"say the word"},"id":2}"#));
/// ```
pub trait Middleware: Send + Sync + 'static {
    /// Goes on with [`Next::run`], or answers itself with [`Next::respond`] or [`Next::refuse`].
    fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> impl Future<Output = Responded> + Send + 'a;

    /// Looks at a batch as a whole, before anything of it runs. By default it lets every batch pass; its members
    /// come to [`call`](Self::call) one by one.
    ///
    /// # Errors
    ///
    /// What the batch is refused with: this one error under the id null. Nothing of it runs then.
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        let _ = batch;
        Ok(())
    }
}

/// A call that has not been decoded.
#[derive(Debug)]
pub struct LayeredCall<'de, T> {
    method: Option<T>,
    params: &'de str,
}

impl<M: Middleware, S: Service> Service for Layered<M, S> {
    /// `None` for a method that nobody serves.
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
        const UNSERVED: &MethodInfo = &MethodInfo::new("", &[]);
        method.map_or(UNSERVED, |method| self.service.info(method))
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

/// The rest of the way of one call. The example is at [`Middleware`].
#[must_use = "a call owes an answer"]
pub struct Next<'a, S: Service> {
    service: &'a S,
    call: LayeredCall<'a, S::Method>,
    responder: Responder<'a>,
}

impl<'a, S: Service> Next<'a, S> {
    /// The call: its method, its id, its connection.
    pub fn context(&self) -> &Context<'a> {
        self.responder.context()
    }

    /// What the service says of the method; `None` if it does not serve it.
    pub fn method(&self) -> Option<&'a MethodInfo> {
        self.call.method.map(|method| self.service.info(method))
    }

    /// The params as they came; `None` if there are none.
    pub fn params(&self) -> Option<&'a RawValue> {
        serde_json::from_str(self.call.params).ok().filter(|params: &&RawValue| params.get() != "null")
    }

    /// A member of the message that JSON-RPC does not know: [`Context::member`].
    pub fn member(&self, name: &str) -> Option<&'a RawValue> {
        self.context().member(name)
    }

    /// Gives the method a value, one of each type: [`Context::extension`].
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.responder.insert(value);
    }

    /// What will say, once the call has run, which error it was answered with.
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

    /// Answers with a result, in place of the method.
    #[must_use]
    pub fn respond<T: serde::Serialize + ?Sized>(self, result: &T) -> Responded {
        self.responder.value(result)
    }

    /// Answers with an error, in place of the method.
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
