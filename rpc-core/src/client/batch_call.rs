//! A batch as a value: sent as one message when it is awaited.

use super::caller::{BoxFuture, Caller};
use super::members::{Members, RemainingResponses};
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use super::send_state::{SendState, WAIT_WOULD_BLOCK};
use super::timeout_policy::TimeoutPolicy;
use crate::block_on::wait;
use crate::error::ClientError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// Calls and notifications that are encoded but not sent; `.await` sends them as one message (§6).
///
/// It resolves to the outcome of each member, in the shape of the members: a tuple, an array or a vector. If
/// the batch as a whole is not sent, times out or is rejected by the peer, it fails with a [`ClientError`]. A
/// member whose params cannot be serialized fails alone, and the others are sent. If no member is left,
/// nothing is sent.
///
/// The members may be calls of different clients. The client that makes the batch sends them all. Timeouts
/// that members [set](super::Call::timeout) do not apply, only [that of the batch](BatchCall::timeout).
///
/// ```
/// use rpc_core::{CallError, ClientError, ErrorObject, Server, block_on, rpc};
///
/// #[rpc]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
///     async fn divide(&self, dividend: i64, divisor: i64) -> Result<i64, ErrorObject>;
///     #[rpc(notification)]
///     async fn reset(&self);
/// }
/// # struct MyCalc;
/// # impl Calc for MyCalc {
/// #     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 { minuend - subtrahend }
/// #     async fn divide(&self, dividend: i64, divisor: i64) -> Result<i64, ErrorObject> {
/// #         dividend.checked_div(divisor).ok_or(ErrorObject::new(1, "division by zero"))
/// #     }
/// #     async fn reset(&self) {}
/// # }
/// # fn main() -> Result<(), ClientError> {
/// # block_on(async {
/// let calc = CalcClient::new(Server::new(CalcService::new(MyCalc)).caller());
///
/// // A tuple: each outcome has the type of its method.
/// let (difference, ratio, reset) = calc.batch((calc.subtract(3, 2), calc.divide(6, 0), calc.reset())).await?;
/// assert_eq!(difference?, 1);
/// assert!(matches!(ratio, Err(CallError::Method(error)) if error.code == 1));
/// reset?;
///
/// // A vector: any number of calls of the same method.
/// let differences = calc.batch((0..3).map(|n| calc.subtract(n, 1)).collect::<Vec<_>>()).await?;
/// assert_eq!(differences.into_iter().collect::<Result<Vec<_>, _>>()?, [-1, 0, 1]);
/// # Ok(())
/// # })
/// # }
/// ```
#[must_use = "a batch is sent when it is awaited"]
pub struct BatchCall<'c, C, M> {
    caller: &'c C,
    members: M,
    timeout_policy: TimeoutPolicy,
}

impl<'c, C: Caller, M: Members<C>> BatchCall<'c, C, M> {
    /// Returns a batch that `caller` sends. Generated clients have it as their method `batch`.
    pub fn new(caller: &'c C, members: M) -> Self {
        BatchCall { caller, members, timeout_policy: TimeoutPolicy::Default }
    }

    /// Sets the timeout of the batch, as [`Call::timeout`](crate::client::Call::timeout) does. By default, it
    /// is the longest timeout of the methods in the batch. A method without the option `timeout` counts with
    /// the default of the caller.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout_policy = TimeoutPolicy::explicit(timeout.into());
        self
    }

    /// Sends the batch at once, and returns a future that borrows nothing, as
    /// [`Call::send`](crate::client::Call::send) does.
    pub fn send(self) -> BatchFuture<M::Encoded, M::Output> {
        let mut batch = OutgoingBatch::new();
        let encoded = Some(self.members.add_to(&mut batch));
        batch.set_timeout_policy(self.timeout_policy);
        let state = if batch.is_empty() {
            // SPEC §6: the response to an empty array is an error.
            SendState::Sent(Box::pin(std::future::ready(Ok(Vec::new()))) as BoxFuture<BatchResponses>)
        } else if self.timeout_policy.is_required() && !self.caller.supports_timeouts() {
            SendState::unsupported_timeout()
        } else {
            SendState::Sent(self.caller.batch(batch))
        };
        BatchFuture { state, encoded, decode: M::decode }
    }

    /// Sends the batch and blocks this thread until the outcomes arrive, as
    /// [`Call::wait`](crate::client::Call::wait) does.
    ///
    /// # Errors
    ///
    /// The same as those of `.await`.
    pub fn wait(self) -> Result<M::Output, ClientError> {
        wait(self.into_future()).unwrap_or_else(|| Err(ClientError::Unsupported(WAIT_WOULD_BLOCK.into())))
    }
}

impl<C: Caller, M: Members<C>> IntoFuture for BatchCall<'_, C, M> {
    type Output = Result<M::Output, ClientError>;
    type IntoFuture = BatchFuture<M::Encoded, M::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

impl<C, M> fmt::Debug for BatchCall<'_, C, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchCall").field("timeout", &self.timeout_policy).finish_non_exhaustive()
    }
}

/// The future of a batch that was sent. It resolves to the outcomes of the members, and borrows nothing. The
/// example is at [`BatchCall`].
#[must_use = "futures do nothing unless awaited; dropping this one cancels the batch"]
pub struct BatchFuture<E, T> {
    state: SendState<BoxFuture<BatchResponses>>,
    encoded: Option<E>,
    decode: fn(E, &mut RemainingResponses) -> T,
}

impl<E: Unpin, T> Future for BatchFuture<E, T> {
    type Output = Result<T, ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let responses = ready!(self.state.poll(context))?;
        match self.encoded.take() {
            Some(encoded) => Poll::Ready(Ok((self.decode)(encoded, &mut responses.into_iter()))),
            None => Poll::Pending,
        }
    }
}

impl<E, T> fmt::Debug for BatchFuture<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchFuture").finish_non_exhaustive()
    }
}
