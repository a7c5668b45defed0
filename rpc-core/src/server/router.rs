//! Several services as one, put together when the program runs.

use super::info::{MethodInfo, Names};
use super::reply::{Answered, Reply};
use super::service::Service;
use crate::error::RpcError;
use crate::params::{BadParams, decode_flat};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;

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
/// let answer = block_on(Server::new(router).handle(r#"{"jsonrpc":"2.0","method":"version","id":1}"#));
/// assert_eq!(answer.as_deref(), Some(r#"{"jsonrpc":"2.0","result":"1.0","id":1}"#));
/// # Ok::<(), rpc_core::server::DuplicateMethod>(())
/// ```
pub struct Router {
    parts: Vec<Box<dyn Part>>,
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
    parts: Vec<Box<dyn Part>>,
    fallback: Option<Box<dyn Part>>,
}

impl RouterBuilder {
    /// Adds all methods of a service.
    pub fn service<S: Service>(mut self, service: S) -> Self {
        let mut methods = Vec::new();
        service.each(&mut |info| methods.extend(service.find(info.name())));
        self.parts.push(Box::new(Whole { service, methods }));
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
        self.parts.push(Box::new(Single { info: MethodInfo::named(name.into()), handler }));
        self
    }

    /// Sets who takes the calls and notifications that nobody else serves, a proxy for instance. The
    /// last one set counts.
    pub fn fallback<H, F, T, E>(mut self, handler: H) -> Self
    where
        H: Fn(RawCall) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Serialize + 'static,
        E: RpcError + 'static,
    {
        self.fallback = Some(Box::new(Single { info: MethodInfo::named(String::new()), handler }));
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
            for (method, name) in methods.names().into_iter().enumerate() {
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

/// A call as a handler of a [`Router`] gets it: nothing decoded.
///
/// ```
/// use rpc_core::server::RawCall;
/// use rpc_core::ErrorObject;
///
/// let call = RawCall { method: "add".into(), params: Some(serde_json::value::to_raw_value(&[1, 2])?), is_notification: false };
/// assert_eq!(call.decode::<(i64, i64)>(), Ok((1, 2)));
/// assert_eq!(call.decode::<String>().unwrap_err().code, ErrorObject::INVALID_PARAMS);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RawCall {
    /// The method's name on the wire.
    pub method: String,
    /// The parameters, an array or an object; absent (or sent as null) is `None`.
    pub params: Option<Box<RawValue>>,
    /// Whether it came without an id: the outcome goes nowhere.
    pub is_notification: bool,
}

impl RawCall {
    /// The parameters as one value; absent ones read as `[]` for a list, `None` for an option, else
    /// `{}`.
    ///
    /// # Errors
    ///
    /// -32602, to be returned with `?`, when they do not fit.
    pub fn decode<'de, T: serde::Deserialize<'de>>(&'de self) -> Result<T, ErrorObject> {
        let text = self.params.as_ref().map_or("null", |params| params.get());
        let mut value = None;
        decode_flat(text, &mut value, |(value,)| value).map_err(|bad| bad.to_object())?;
        value.ok_or_else(ErrorObject::internal_error)
    }
}

use crate::wire::ErrorObject;

/// A service without its types.
trait Part: Send + Sync {
    fn names(&self) -> Vec<String>;
    fn info(&self, method: usize) -> &MethodInfo;
    fn decode<'a>(&'a self, method: usize, params: &'a str) -> Decoded<'a>;
}

type Decoded<'a> = Result<(Option<Box<dyn Ready<'a> + 'a>>, usize), BadParams>;

/// A decoded call without its types.
trait Ready<'a>: Send {
    fn run(self: Box<Self>, reply: Reply<'a>) -> Running<'a>;
}

type Running<'a> = Pin<Box<dyn Future<Output = Answered> + Send + 'a>>;

struct Whole<S: Service> {
    service: S,
    methods: Vec<S::Method>,
}

impl<S: Service> Part for Whole<S> {
    fn names(&self) -> Vec<String> {
        self.methods.iter().map(|method| self.service.info(*method).name().to_owned()).collect()
    }
    fn info(&self, method: usize) -> &MethodInfo {
        self.service.info(self.methods[method])
    }
    fn decode<'a>(&'a self, method: usize, params: &'a str) -> Decoded<'a> {
        let mut call = None;
        let length = self.service.decode(self.methods[method], params, &mut call)?;
        Ok((call.map(|call| -> Box<dyn Ready<'a> + 'a> { Box::new(Typed { service: &self.service, call }) }), length))
    }
}

struct Typed<'a, S: Service> {
    service: &'a S,
    call: S::Call<'a>,
}

impl<'a, S: Service> Ready<'a> for Typed<'a, S> {
    fn run(self: Box<Self>, reply: Reply<'a>) -> Running<'a> {
        Box::pin(self.service.run(self.call, reply))
    }
}

struct Single<H> {
    info: MethodInfo,
    handler: H,
}

impl<H, F, T, E> Part for Single<H>
where
    H: Fn(RawCall) -> F + Send + Sync,
    F: Future<Output = Result<T, E>> + Send + 'static,
    T: Serialize + 'static,
    E: RpcError + 'static,
{
    fn names(&self) -> Vec<String> {
        vec![self.info.name().to_owned()]
    }
    fn info(&self, _: usize) -> &MethodInfo {
        &self.info
    }
    fn decode<'a>(&'a self, _: usize, params: &'a str) -> Decoded<'a> {
        let mut call = None;
        let length = decode_flat(params, &mut call, |(params,)| -> Box<dyn Ready<'a> + 'a> {
            Box::new(Raw { handler: &self.handler, params })
        })?;
        Ok((call, length))
    }
}

struct Raw<'a, H> {
    handler: &'a H,
    params: Option<&'a RawValue>,
}

impl<'a, H, F, T, E> Ready<'a> for Raw<'a, H>
where
    H: Fn(RawCall) -> F + Send + Sync,
    F: Future<Output = Result<T, E>> + Send + 'static,
    T: Serialize + 'static,
    E: RpcError + 'static,
{
    fn run(self: Box<Self>, reply: Reply<'a>) -> Running<'a> {
        let call = RawCall {
            method: reply.context().method().to_owned(),
            params: self.params.map(ToOwned::to_owned),
            is_notification: reply.context().id().is_none(),
        };
        // The handler is called when the future runs: if it panics there, that is this call's end.
        Box::pin(async move { reply.result((self.handler)(call).await) })
    }
}

/// A decoded call of a [`Router`].
pub struct RouterCall<'a>(Box<dyn Ready<'a> + 'a>);

impl Service for Router {
    type Method = (usize, usize);
    type Call<'de> = RouterCall<'de>;
    /// What a router serves is known at run time only.
    const NAMES: Names = Names::own(&[]);

    fn each(&self, each: &mut dyn FnMut(&MethodInfo)) {
        for method in self.names.values() {
            each(self.info(*method));
        }
    }
    fn find(&self, name: &str) -> Option<Self::Method> {
        self.names.get(name).copied().or_else(|| Some((self.fallback?, 0)))
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
    fn run<'a>(&'a self, call: RouterCall<'a>, reply: Reply<'a>) -> impl Future<Output = Answered> + Send + 'a {
        call.0.run(reply)
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
