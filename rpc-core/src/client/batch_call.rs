//! A batch of encoded calls.

use super::caller::{BoxFuture, Caller};
use super::members::{Members, RemainingResponses};
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use super::send_state::{SendState, WAITS_FOR_ITSELF};
use super::timeout_policy::TimeoutPolicy;
use crate::block_on::wait;
use crate::error::ClientError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// A batch of encoded calls and notifications. `.await` sends it as one message (§6).
///
/// It returns the outcomes of its members, in the shape in which the batch was made, or one error if the whole batch
/// was not sent, timed out or was rejected. A member whose params cannot be serialised fails alone. The members may be of
/// clients of several traits; the caller of the batch sends them all. Timeouts of the members are ignored:
/// [`timeout`](BatchCall::timeout) sets that of the batch.
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
/// // A tuple: each member has the type of its method.
/// let (difference, ratio, reset) = calc.batch((calc.subtract(3, 2), calc.divide(6, 0), calc.reset())).await?;
/// assert_eq!(difference?, 1);
/// assert!(matches!(ratio, Err(CallError::Method(error)) if error.code == 1));
/// reset?;
///
/// // A vector, of any length.
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
    /// Creates a batch. Generated clients have it as their method `batch`.
    pub fn new(caller: &'c C, members: M) -> Self {
        BatchCall { caller, members, timeout_policy: TimeoutPolicy::Default }
    }

    /// Sets the timeout of the batch, as [`Call::timeout`](crate::client::Call::timeout) does. By default it is the longest
    /// timeout of the calls' methods, where the caller's default stands for methods without one.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout_policy = TimeoutPolicy::Explicit(timeout.into());
        self
    }

    /// Sends the batch at once, and returns a future that borrows nothing, as
    /// [`Call::send`](crate::client::Call::send) does.
    pub fn send(self) -> BatchFuture<M::Written, M::Output> {
        let mut batch = OutgoingBatch::new();
        let written = Some(self.members.write(&mut batch));
        let requires_timeout = self.timeout_policy.is_required();
        if let TimeoutPolicy::Explicit(timeout) = self.timeout_policy {
            batch.set_timeout(timeout);
        }
        let state = if batch.is_empty() {
            // SPEC §6: an empty array would be answered with an error.
            SendState::Sent(Box::pin(std::future::ready(Ok(Vec::new()))) as BoxFuture<BatchResponses>)
        } else if requires_timeout && !self.caller.supports_timeouts() {
            SendState::unsupported_timeout()
        } else {
            SendState::Sent(self.caller.batch(batch))
        };
        BatchFuture { state, written, read: M::read }
    }
    /// Sends the batch, and blocks the thread until the responses arrive, as [`Call::wait`](crate::client::Call::wait) does.
    ///
    /// # Errors
    ///
    /// The same as when awaited.
    pub fn wait(self) -> Result<M::Output, ClientError> {
        wait(self.into_future()).unwrap_or_else(|| Err(ClientError::Unsupported(WAITS_FOR_ITSELF.into())))
    }
}

impl<C: Caller, M: Members<C>> IntoFuture for BatchCall<'_, C, M> {
    type Output = Result<M::Output, ClientError>;
    type IntoFuture = BatchFuture<M::Written, M::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

impl<C, M> fmt::Debug for BatchCall<'_, C, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchCall").field("timeout_policy", &self.timeout_policy).finish_non_exhaustive()
    }
}

/// The future of a sent batch, which resolves to the outcomes of its members. It borrows nothing.
#[must_use = "the outcomes are known when the future is awaited; dropping it cancels the batch"]
pub struct BatchFuture<W, T> {
    state: SendState<BoxFuture<BatchResponses>>,
    written: Option<W>,
    read: fn(W, &mut RemainingResponses) -> T,
}

impl<W: Unpin, T> Future for BatchFuture<W, T> {
    type Output = Result<T, ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let responses = ready!(self.state.poll(context))?;
        match self.written.take() {
            Some(written) => Poll::Ready(Ok((self.read)(written, &mut responses.into_iter()))),
            // Polled again after its end, which no executor does.
            None => Poll::Pending,
        }
    }
}

impl<W, T> fmt::Debug for BatchFuture<W, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchFuture").finish_non_exhaustive()
    }
}
