//! The type-erased services and methods of a router.

use super::batch_info::BatchInfo;
use super::info::MethodInfo;
use super::responder::{Responded, Responder};
use super::service::Service;
use crate::error::RpcError;
use crate::params::{BadParams, decode_flat};
use crate::wire::ErrorObject;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::pin::Pin;

/// A call whose params are not decoded, for a method of a [`Router`](crate::server::Router).
///
/// ```
/// use rpc_core::server::RawCall;
/// use rpc_core::ErrorObject;
///
/// let params = Some(serde_json::value::to_raw_value(&[1, 2])?);
/// let call = RawCall { method: "add".into(), params, is_notification: false };
/// assert_eq!(call.decode::<(i64, i64)>(), Ok((1, 2)));
/// assert_eq!(call.decode::<String>().unwrap_err().code, ErrorObject::INVALID_PARAMS);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RawCall {
    /// The wire name of the method.
    pub method: String,
    /// The params, an array or an object; `None` if they are absent or null.
    pub params: Option<Box<RawValue>>,
    /// `true` for a notification, whose result or error is not sent.
    pub is_notification: bool,
}

impl RawCall {
    /// Decodes the params as one value. Absent params decode as `None` for an option, as `[]` for a list,
    /// otherwise as `{}`.
    ///
    /// # Errors
    ///
    /// Fails with -32602 "Invalid params" if the params do not fit the type.
    pub fn decode<'de, T: Deserialize<'de>>(&'de self) -> Result<T, ErrorObject> {
        let text = self.params.as_ref().map_or("null", |params| params.get());
        let mut value = None;
        decode_flat(text, &mut value, |(value,)| value)?;
        value.ok_or_else(ErrorObject::internal_error)
    }
}

/// A service without its associated types.
pub(super) trait ErasedService: Send + Sync {
    /// Returns each wire name, with the index of its method.
    fn names(&self) -> Vec<(String, usize)>;
    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo));
    fn info(&self, method: usize) -> &MethodInfo;
    fn decode<'a>(&'a self, method: usize, params: &'a str) -> Decoded<'a>;
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject>;
}

pub(super) type Decoded<'a> = Result<(Option<Box<dyn ErasedCall<'a> + 'a>>, usize), BadParams>;

/// A decoded call without its type.
pub(super) trait ErasedCall<'a>: Send {
    fn run(self: Box<Self>, responder: Responder<'a>) -> RunFuture<'a>;
}

pub(super) type RunFuture<'a> = Pin<Box<dyn Future<Output = Responded> + Send + 'a>>;

/// A service whose methods are identified by an index.
pub(super) struct IndexedService<S: Service> {
    service: S,
    methods: Vec<S::Method>,
}

impl<S: Service> IndexedService<S> {
    pub(super) fn new(service: S) -> Self {
        let mut methods = Vec::new();
        service.for_each_method(&mut |info| methods.extend(service.find(info.name())));
        IndexedService { service, methods }
    }
}

impl<S: Service> ErasedService for IndexedService<S> {
    fn names(&self) -> Vec<(String, usize)> {
        let methods = self.methods.iter().map(|method| self.service.info(*method)).enumerate();
        methods.flat_map(|(index, info)| info.names().map(move |name| (name.to_owned(), index))).collect()
    }
    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo)) {
        self.service.for_each_method(each);
    }
    fn info(&self, method: usize) -> &MethodInfo {
        self.service.info(self.methods[method])
    }
    fn decode<'a>(&'a self, method: usize, params: &'a str) -> Decoded<'a> {
        let mut call = None;
        let length = self.service.decode(self.methods[method], params, &mut call)?;
        Ok((
            call.map(|call| -> Box<dyn ErasedCall<'a> + 'a> { Box::new(TypedCall { service: &self.service, call }) }),
            length,
        ))
    }
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        self.service.batch(batch)
    }
}

struct TypedCall<'a, S: Service> {
    service: &'a S,
    call: S::Call<'a>,
}

impl<'a, S: Service> ErasedCall<'a> for TypedCall<'a, S> {
    fn run(self: Box<Self>, responder: Responder<'a>) -> RunFuture<'a> {
        Box::pin(self.service.run(self.call, responder))
    }
}

/// A single method whose params are not decoded.
pub(super) struct RawMethod<H> {
    info: MethodInfo,
    handler: H,
}

impl<H> RawMethod<H> {
    pub(super) fn new(name: String, handler: H) -> Self {
        RawMethod { info: MethodInfo::from_name(name), handler }
    }
}

impl<H, F, T, E> ErasedService for RawMethod<H>
where
    H: Fn(RawCall) -> F + Send + Sync,
    F: Future<Output = Result<T, E>> + Send + 'static,
    T: Serialize + 'static,
    E: RpcError + 'static,
{
    fn names(&self) -> Vec<(String, usize)> {
        vec![(self.info.name().to_owned(), 0)]
    }
    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo)) {
        each(&self.info);
    }
    fn info(&self, _: usize) -> &MethodInfo {
        &self.info
    }
    fn decode<'a>(&'a self, _: usize, params: &'a str) -> Decoded<'a> {
        let mut call = None;
        let length = decode_flat(params, &mut call, |(params,)| -> Box<dyn ErasedCall<'a> + 'a> {
            Box::new(RawMethodCall { handler: &self.handler, params })
        })?;
        Ok((call, length))
    }
    fn batch(&self, _: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        Ok(())
    }
}

struct RawMethodCall<'a, H> {
    handler: &'a H,
    params: Option<&'a RawValue>,
}

impl<'a, H, F, T, E> ErasedCall<'a> for RawMethodCall<'a, H>
where
    H: Fn(RawCall) -> F + Send + Sync,
    F: Future<Output = Result<T, E>> + Send + 'static,
    T: Serialize + 'static,
    E: RpcError + 'static,
{
    fn run(self: Box<Self>, responder: Responder<'a>) -> RunFuture<'a> {
        let call = RawCall {
            method: responder.context().method().to_owned(),
            params: self.params.map(ToOwned::to_owned),
            is_notification: responder.context().id().is_none(),
        };
        // The closure is called inside the future, where a panic aborts only this call.
        Box::pin(async move { responder.result((self.handler)(call).await) })
    }
}
