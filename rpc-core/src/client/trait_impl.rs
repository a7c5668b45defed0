//! Calls as the methods of the trait they come from, which know nothing of a wire.

use super::call::Call;
use super::caller::Caller;
use super::notify_call::NotifyCall;
use crate::error::{CallError, ResultType, RpcError};
use serde::de::DeserializeOwned;

/// What the method returns: its own error is itself, any other failure is made one. `R` is the `Result` of
/// `T` and `E`, under whatever name.
#[allow(clippy::manual_async_fn, reason = "`Send` is said here, so that it is not asked again where the trait is")]
#[inline]
pub fn call_method<C, T, E, R>(call: Call<'_, C, T, E>) -> impl Future<Output = R> + Send
where
    C: Caller,
    T: DeserializeOwned,
    E: RpcError + From<CallError>,
    R: ResultType<Ok = T, Err = E>,
{
    async move { R::from_result(call.await.map_err(|error| error.into_method().unwrap_or_else(E::from))) }
}

/// Sends a notification. The method returns nothing, so nobody is told whether it went out.
#[allow(clippy::manual_async_fn, reason = "`Send` is said here, so that it is not asked again where the trait is")]
#[inline]
pub fn send_notification<C: Caller>(notify: NotifyCall<'_, C>) -> impl Future<Output = ()> + Send {
    async move {
        let _ = notify.await;
    }
}
