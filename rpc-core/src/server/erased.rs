//! What a run-time router is put together of: services and single methods without their types.

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

/// A call as a handler of a [`Router`](crate::server::Router) gets it: nothing decoded.
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
    pub fn decode<'de, T: Deserialize<'de>>(&'de self) -> Result<T, ErrorObject> {
        let text = self.params.as_ref().map_or("null", |params| params.get());
        let mut value = None;
        decode_flat(text, &mut value, |(value,)| value)?;
        value.ok_or_else(ErrorObject::internal_error)
    }
}

/// A service without its types.
pub(super) trait ErasedService: Send + Sync {
    /// Every wire name, with the method it is of.
    fn names(&self) -> Vec<(String, usize)>;
    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo));
    fn info(&self, method: usize) -> &MethodInfo;
    fn decode<'a>(&'a self, method: usize, params: &'a str) -> Decoded<'a>;
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject>;
}

pub(super) type Decoded<'a> = Result<(Option<Box<dyn ErasedCall<'a> + 'a>>, usize), BadParams>;

/// A decoded call without its types.
pub(super) trait ErasedCall<'a>: Send {
    fn run(self: Box<Self>, responder: Responder<'a>) -> Running<'a>;
}

pub(super) type Running<'a> = Pin<Box<dyn Future<Output = Responded> + Send + 'a>>;

/// All methods of a service.
pub(super) struct WholeService<S: Service> {
    service: S,
    methods: Vec<S::Method>,
}

impl<S: Service> WholeService<S> {
    pub(super) fn of(service: S) -> Self {
        let mut methods = Vec::new();
        service.for_each_method(&mut |info| methods.extend(service.find(info.name())));
        WholeService { service, methods }
    }
}

impl<S: Service> ErasedService for WholeService<S> {
    fn names(&self) -> Vec<(String, usize)> {
        let methods = self.methods.iter().map(|method| self.service.info(*method)).enumerate();
        methods.flat_map(|(at, info)| info.names().map(move |name| (name.to_owned(), at))).collect()
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
            call.map(|call| -> Box<dyn ErasedCall<'a> + 'a> { Box::new(Typed { service: &self.service, call }) }),
            length,
        ))
    }
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        self.service.batch(batch)
    }
}

struct Typed<'a, S: Service> {
    service: &'a S,
    call: S::Call<'a>,
}

impl<'a, S: Service> ErasedCall<'a> for Typed<'a, S> {
    fn run(self: Box<Self>, responder: Responder<'a>) -> Running<'a> {
        Box::pin(self.service.run(self.call, responder))
    }
}

/// One method that takes its parameters raw.
pub(super) struct RawMethod<H> {
    info: MethodInfo,
    handler: H,
}

impl<H> RawMethod<H> {
    pub(super) fn of(name: String, handler: H) -> Self {
        RawMethod { info: MethodInfo::named(name), handler }
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
            Box::new(Raw { handler: &self.handler, params })
        })?;
        Ok((call, length))
    }
    fn batch(&self, _: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        Ok(())
    }
}

struct Raw<'a, H> {
    handler: &'a H,
    params: Option<&'a RawValue>,
}

impl<'a, H, F, T, E> ErasedCall<'a> for Raw<'a, H>
where
    H: Fn(RawCall) -> F + Send + Sync,
    F: Future<Output = Result<T, E>> + Send + 'static,
    T: Serialize + 'static,
    E: RpcError + 'static,
{
    fn run(self: Box<Self>, responder: Responder<'a>) -> Running<'a> {
        let call = RawCall {
            method: responder.context().method().to_owned(),
            params: self.params.map(ToOwned::to_owned),
            is_notification: responder.context().id().is_none(),
        };
        // The handler is called when the future runs: if it panics there, that is this call's end.
        Box::pin(async move { responder.result((self.handler)(call).await) })
    }
}
