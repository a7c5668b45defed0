//! Several services as one, combined at run time.

use super::batch_info::BatchInfo;
use super::erased::{ErasedCall, ErasedService, IndexedService, RawCall, RawMethod};
use super::info::{MethodInfo, MethodNames};
use super::responder::{Responded, Responder};
use super::service::Service;
use crate::error::RpcError;
use crate::params::BadParams;
use crate::wire::ErrorObject;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt;

/// A service of other services and single methods, combined at run time.
///
/// A call through a router allocates two boxes; a call through a tuple of services allocates none.
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
    services: Vec<Box<dyn ErasedService>>,
    names: HashMap<String, (usize, usize)>,
    fallback: Option<usize>,
}

impl Router {
    /// Returns a builder without methods.
    pub fn builder() -> RouterBuilder {
        RouterBuilder { services: Vec::new(), fallback: None }
    }
}

/// Builds a [`Router`]. Two methods cannot have the same wire name:
///
/// ```
/// use rpc_core::server::{RawCall, Router};
/// use rpc_core::ErrorObject;
///
/// let error = Router::builder()
///     .method("a", async |_: RawCall| Ok::<_, ErrorObject>(1))
///     .method("a", async |_: RawCall| Ok::<_, ErrorObject>(2))
///     .build()
///     .unwrap_err();
/// assert_eq!(error.to_string(), "the method `a` is served twice");
/// ```
#[must_use = "a router is made by `build`"]
pub struct RouterBuilder {
    services: Vec<Box<dyn ErasedService>>,
    fallback: Option<Box<dyn ErasedService>>,
}

impl RouterBuilder {
    /// Adds all methods of a service.
    pub fn service<S: Service>(mut self, service: S) -> Self {
        self.services.push(Box::new(IndexedService::new(service)));
        self
    }

    /// Adds a method whose params are not decoded.
    pub fn method<H, F, T, E>(mut self, name: impl Into<String>, handler: H) -> Self
    where
        H: Fn(RawCall) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Serialize + 'static,
        E: RpcError + 'static,
    {
        self.services.push(Box::new(RawMethod::new(name.into(), handler)));
        self
    }

    /// Sets the method that handles calls and notifications of unknown names, for a proxy for example. The
    /// last one counts. In a tuple, it handles the names that no service of the tuple has. A router that is
    /// added to another router loses its fallback.
    pub fn fallback<H, F, T, E>(mut self, handler: H) -> Self
    where
        H: Fn(RawCall) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Serialize + 'static,
        E: RpcError + 'static,
    {
        self.fallback = Some(Box::new(RawMethod::new(String::new(), handler)));
        self
    }

    /// Builds the router.
    ///
    /// # Errors
    ///
    /// Fails if two methods have the same wire name.
    pub fn build(mut self) -> Result<Router, DuplicateMethod> {
        let mut names = HashMap::new();
        for (index, service) in self.services.iter().enumerate() {
            for (name, method) in service.names() {
                if names.insert(name.clone(), (index, method)).is_some() {
                    return Err(DuplicateMethod(name));
                }
            }
        }
        let fallback = self.fallback.map(|fallback| {
            self.services.push(fallback);
            self.services.len() - 1
        });
        Ok(Router { services: self.services, names, fallback })
    }
}

/// The error of a router in which two methods have the same wire name.
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
    /// Returns the wire name.
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
    /// Empty, as the names of a router are known at run time only.
    const NAMES: MethodNames = MethodNames::new(&[]);

    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo)) {
        // The fallback is the last service, and has no name to describe.
        let named = self.services.len() - usize::from(self.fallback.is_some());
        for service in &self.services[..named] {
            service.for_each_method(each);
        }
    }
    fn find(&self, name: &str) -> Option<Self::Method> {
        self.names.get(name).copied()
    }
    fn fallback(&self) -> Option<Self::Method> {
        self.fallback.map(|fallback| (fallback, 0))
    }
    fn info(&self, (service, method): Self::Method) -> &MethodInfo {
        self.services[service].info(method)
    }
    fn decode<'de>(
        &'de self,
        (service, method): Self::Method,
        params: &'de str,
        call: &mut Option<RouterCall<'de>>,
    ) -> Result<usize, BadParams> {
        let (decoded, length) = self.services[service].decode(method, params)?;
        *call = decoded.map(RouterCall);
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
        self.services.iter().try_for_each(|service| service.batch(batch))
    }
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").field("names", &self.names.keys()).finish_non_exhaustive()
    }
}
impl fmt::Debug for RouterBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouterBuilder").field("services", &self.services.len()).finish_non_exhaustive()
    }
}
impl fmt::Debug for RouterCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouterCall").finish_non_exhaustive()
    }
}
