//! Several services as one, put together when the program runs.

use super::batch_info::BatchInfo;
use super::erased::{ErasedCall, ErasedService, RawCall, RawMethod, WholeService};
use super::info::{MethodInfo, MethodNames};
use super::responder::{Responded, Responder};
use super::service::Service;
use crate::error::RpcError;
use crate::params::BadParams;
use crate::wire::ErrorObject;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt;

/// Services and single methods, found by name when the program runs.
///
/// Each call costs two boxes; a tuple of services costs none.
///
/// ```
/// use rpc_core::server::{RawCall, Router};
/// use rpc_core::{ErrorObject, Server, block_on, rpc};
///
/// #[rpc]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
/// }
/// struct MyCalc;
/// impl Calc for MyCalc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
///         minuend - subtrahend
///     }
/// }
///
/// let router = Router::builder()
///     .service(CalcService::new(MyCalc))
///     .method("version", async |_: RawCall| Ok::<_, ErrorObject>("1.0"))
///     .build()?;
/// let response = block_on(Server::new(router).handle(r#"{"jsonrpc":"2.0","method":"version","id":1}"#));
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"1.0","id":1}"#));
/// # Ok::<(), rpc_core::server::DuplicateMethod>(())
/// ```
pub struct Router {
    parts: Vec<Box<dyn ErasedService>>,
    names: HashMap<String, (usize, usize)>,
    fallback: Option<usize>,
}

impl Router {
    /// A router that serves nothing yet.
    pub fn builder() -> RouterBuilder {
        RouterBuilder { parts: Vec::new(), fallback: None }
    }
}

/// Puts a [`Router`] together.
///
/// ```
/// use rpc_core::server::{RawCall, Router};
/// use rpc_core::ErrorObject;
///
/// let twice = Router::builder()
///     .method("a", async |_: RawCall| Ok::<_, ErrorObject>(1))
///     .method("a", async |_: RawCall| Ok::<_, ErrorObject>(2))
///     .build();
/// assert_eq!(twice.unwrap_err().to_string(), "the method `a` is served twice");
/// ```
#[must_use = "a router is made by `build`"]
pub struct RouterBuilder {
    parts: Vec<Box<dyn ErasedService>>,
    fallback: Option<Box<dyn ErasedService>>,
}

impl RouterBuilder {
    /// Adds all methods of a service.
    pub fn service<S: Service>(mut self, service: S) -> Self {
        self.parts.push(Box::new(WholeService::of(service)));
        self
    }

    /// Adds one method that takes its parameters raw.
    pub fn method<H, F, T, E>(mut self, name: impl Into<String>, handler: H) -> Self
    where
        H: Fn(RawCall) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Serialize + 'static,
        E: RpcError + 'static,
    {
        self.parts.push(Box::new(RawMethod::of(name.into(), handler)));
        self
    }

    /// Sets the method that handles the calls and notifications of unknown names, for a proxy for instance. The last
    /// one counts. In a tuple it handles the names that no member serves. A router added to a router keeps its methods,
    /// but not its fallback.
    pub fn fallback<H, F, T, E>(mut self, handler: H) -> Self
    where
        H: Fn(RawCall) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Serialize + 'static,
        E: RpcError + 'static,
    {
        self.fallback = Some(Box::new(RawMethod::of(String::new(), handler)));
        self
    }

    /// The router.
    ///
    /// # Errors
    ///
    /// [`DuplicateMethod`] when a wire name is served twice.
    pub fn build(mut self) -> Result<Router, DuplicateMethod> {
        let mut names = HashMap::new();
        for (part, methods) in self.parts.iter().enumerate() {
            for (name, method) in methods.names() {
                if names.insert(name.clone(), (part, method)).is_some() {
                    return Err(DuplicateMethod(name));
                }
            }
        }
        let fallback = self.fallback.map(|fallback| {
            self.parts.push(fallback);
            self.parts.len() - 1
        });
        Ok(Router { parts: self.parts, names, fallback })
    }
}

/// A wire name that a router was asked to serve twice.
///
/// ```
/// use rpc_core::server::{RawCall, Router};
/// use rpc_core::ErrorObject;
///
/// let method = async |_: RawCall| Ok::<_, ErrorObject>(());
/// let error = Router::builder().method("a", method).method("a", method).build().unwrap_err();
/// assert_eq!(error.name(), "a");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateMethod(String);

impl DuplicateMethod {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DuplicateMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the method `{}` is served twice", self.0)
    }
}
impl std::error::Error for DuplicateMethod {}

/// A decoded call of a [`Router`].
pub struct RouterCall<'a>(Box<dyn ErasedCall<'a> + 'a>);

impl Service for Router {
    type Method = (usize, usize);
    type Call<'de> = RouterCall<'de>;
    /// What a router serves is known at run time only.
    const NAMES: MethodNames = MethodNames::own(&[]);

    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo)) {
        let parts = self.parts.len() - usize::from(self.fallback.is_some());
        for part in &self.parts[..parts] {
            part.for_each_method(each);
        }
    }
    fn find(&self, name: &str) -> Option<Self::Method> {
        self.names.get(name).copied()
    }
    fn fallback(&self) -> Option<Self::Method> {
        self.fallback.map(|fallback| (fallback, 0))
    }
    fn info(&self, (part, method): Self::Method) -> &MethodInfo {
        self.parts[part].info(method)
    }
    fn decode<'de>(
        &'de self,
        (part, method): Self::Method,
        params: &'de str,
        call: &mut Option<RouterCall<'de>>,
    ) -> Result<usize, BadParams> {
        let (ready, length) = self.parts[part].decode(method, params)?;
        *call = ready.map(RouterCall);
        Ok(length)
    }
    fn run<'a>(
        &'a self,
        call: RouterCall<'a>,
        responder: Responder<'a>,
    ) -> impl Future<Output = Responded> + Send + 'a {
        call.0.run(responder)
    }
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        self.parts.iter().try_for_each(|part| part.batch(batch))
    }
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").field("names", &self.names.keys()).finish_non_exhaustive()
    }
}
impl fmt::Debug for RouterBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouterBuilder").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}
impl fmt::Debug for RouterCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouterCall").finish_non_exhaustive()
    }
}
