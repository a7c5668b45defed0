//! A batch as a value: its calls are written when they are made, sent as one when it is awaited.

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

/// Calls and notifications that have been written but not sent; `.await` sends them as one message (§6).
///
/// It gives what became of each, in the shape that the batch was made in; or one error, if the batch as
/// a whole was not sent, not answered in time, or refused. A call that cannot be written fails alone, and the
/// others are sent; if there is nothing to send, nothing is. The members may come from clients of several traits: all of them go where the client
/// is that sends the batch. Timeouts of members are not looked at, [that of the batch](Batch::timeout) is.
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
    /// A batch that `caller` sends; the client of a trait has it as its function `batch`.
    pub fn new(caller: &'c C, members: M) -> Self {
        BatchCall { caller, members, timeout_policy: TimeoutPolicy::Default }
    }

    /// Gives the batch up when no reply has come within `timeout`, as [`Call::timeout`](crate::client::Call::timeout)
    /// does. Without this, it waits as long as the slowest of its calls may, those whose method has no `timeout` of
    /// its own as long as the caller's usual calls.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout_policy = TimeoutPolicy::Explicit(timeout.into());
        self
    }

    /// Sends the batch at once, and returns a future that borrows nothing: [`Call::send`](crate::client::Call::send).
    pub fn send(self) -> BatchFuture<M::Written, M::Output> {
        let mut batch = OutgoingBatch::new();
        let written = Some(self.members.write(&mut batch));
        let requires_timeout = self.timeout_policy.is_own();
        if let TimeoutPolicy::Explicit(timeout) = self.timeout_policy {
            batch.set_timeout(timeout);
        }
        let state = if batch.is_empty() {
            // SPEC §6: an empty array would be answered with an error.
            SendState::Sent(Box::pin(std::future::ready(Ok(Vec::new()))) as BoxFuture<BatchResponses>)
        } else if requires_timeout && !self.caller.supports_timeouts() {
            SendState::timeless()
        } else {
            SendState::Sent(self.caller.batch(batch))
        };
        BatchFuture { state, written, read: M::read }
    }
    /// Sends the batch, for programs without an async runtime: this thread waits, as in
    /// [`Call::wait`](crate::client::Call::wait).
    ///
    /// # Errors
    ///
    /// As awaiting it.
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
        f.debug_struct("Batch").field("patience", &self.timeout_policy).finish_non_exhaustive()
    }
}

/// A batch that has been sent: resolves to what became of its members. It borrows nothing.
#[must_use = "what comes of it is known when it is awaited; dropped, it is given up"]
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
