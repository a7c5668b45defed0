//! Calls as implementations of the annotated trait's own methods (`client_implements_trait`).

use super::call::Call;
use super::caller::Caller;
use super::notify_call::NotifyCall;
use crate::error::rpc_error::ResultType;
use crate::error::{CallError, ClientError, RpcError};
use serde::de::DeserializeOwned;

/// Sends a call. The method's own error is returned as it is, and a [`ClientError`] is converted into `E`.
/// `R` is the method's return type, an alias of `Result<T, E>`.
#[allow(clippy::manual_async_fn, reason = "with `Send` here, rustc does not ask for it again in the user's code")]
pub fn call_method<C, T, E, R>(call: Call<'_, C, T, CallError<E>>) -> impl Future<Output = R> + Send
where
    C: Caller,
    T: DeserializeOwned,
    E: RpcError + From<ClientError>,
    R: ResultType<Ok = T, Err = E>,
{
    async move { R::from_result(call.await.map_err(|error| error.into_method().unwrap_or_else(E::from))) }
}

/// Sends a notification. The trait's method returns nothing, so a failure to send is dropped.
#[allow(clippy::manual_async_fn, reason = "with `Send` here, rustc does not ask for it again in the user's code")]
pub fn send_notification<C: Caller>(notification: NotifyCall<'_, C>) -> impl Future<Output = ()> + Send {
    async move {
        let _ = notification.await;
    }
}
