//! A caller that adds timeouts to another one.

use super::caller::{BoxFuture, Caller};
use super::outgoing::Outgoing;
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use crate::error::ClientError;
use crate::limits::CALL_TIMEOUT;
use crate::time::Timer;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A caller that adds timeouts to another one. A call whose timeout elapses fails with
/// [`ClientError::Timeout`], and its future is dropped.
///
/// A [timeout that the call sets](super::Call::timeout) takes precedence, then the option `#[rpc(timeout)]` of the
/// method, then the [default of this caller](Timeout::default_timeout), 60 s. If a call passes several
/// `Timeout`s, its own timeout applies in each: one around a [`Retry`](super::Retry) limits all attempts
/// together, one inside limits each.
///
/// A [`Peer`](crate::connection::Peer) enforces timeouts without this.
///
/// ```
/// use rpc_core::client::Timeout;
/// use rpc_core::mock::Mock;
/// use rpc_core::time::ManualTimer;
/// use rpc_core::{ClientError, block_on, rpc};
/// use std::time::Duration;
///
/// #[rpc]
/// trait Calc {
///     async fn add(&self, a: i64, b: i64) -> i64;
/// }
///
/// let timer = ManualTimer::new();
/// let caller = Timeout::new(Mock::new().never_responds(), timer.clone()).default_timeout(Duration::from_secs(10));
/// let calc = CalcClient::new(caller);
/// let call = calc.add(1, 2).send();
/// let longer_call = calc.add(1, 2).timeout(Duration::from_secs(20)).send();
///
/// timer.advance(Duration::from_secs(10));
/// assert!(matches!(block_on(call), Err(ClientError::Timeout)));
/// timer.advance(Duration::from_secs(10));
/// assert!(matches!(block_on(longer_call), Err(ClientError::Timeout)));
/// ```
#[derive(Clone)]
pub struct Timeout<C, T> {
    caller: C,
    timer: T,
    default: Option<Duration>,
}

impl<C: Caller, T: Timer> Timeout<C, T> {
    /// Returns a caller that adds timeouts to `caller`. [`ThreadTimer`](crate::time::ThreadTimer) is a timer
    /// for any program.
    pub fn new(caller: C, timer: T) -> Self {
        Timeout { caller, timer, default: Some(CALL_TIMEOUT) }
    }

    /// Sets the timeout of calls for which neither the call nor its method sets one, 60 s by default. With
    /// `None` they wait without limit.
    #[must_use]
    pub fn default_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.default = timeout.into();
        self
    }

    /// Returns the inner caller.
    pub fn caller(&self) -> &C {
        &self.caller
    }

    fn limit<F>(&self, timeout: Option<Duration>, future: F) -> TimeoutFuture<F> {
        TimeoutFuture::new(future, timeout.map(|timeout| self.timer.sleep(timeout)))
    }
}

impl<C: Caller, T: Timer> Caller for Timeout<C, T> {
    type ResponseFuture = TimeoutFuture<C::ResponseFuture>;
    type SendFuture = TimeoutFuture<C::SendFuture>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        let timeout = outgoing.timeout_or(self.default);
        self.limit(timeout, self.caller.call(outgoing))
    }

    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        let timeout = outgoing.timeout_or(self.default);
        self.limit(timeout, self.caller.notify(outgoing))
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        let timeout = batch.timeout_or(self.default);
        Box::pin(self.limit(timeout, self.caller.batch(batch)))
    }

    fn supports_timeouts(&self) -> bool {
        true
    }
}

impl<C: fmt::Debug, T> fmt::Debug for Timeout<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeout")
            .field("caller", &self.caller)
            .field("default_timeout", &self.default)
            .finish_non_exhaustive()
    }
}

/// The future of a message with a timeout. The example is at [`Timeout`].
#[must_use = "futures do nothing unless awaited; dropping this one cancels the call"]
pub struct TimeoutFuture<F> {
    future: Option<F>,
    sleep: Option<BoxFuture<()>>,
}

impl<F> TimeoutFuture<F> {
    /// Limits a future by the end of `sleep`. Without it, there is no limit.
    pub(crate) fn new(future: F, sleep: Option<BoxFuture<()>>) -> Self {
        TimeoutFuture { future: Some(future), sleep }
    }
}

impl<F: Future<Output = Result<T, ClientError>> + Unpin, T> Future for TimeoutFuture<F> {
    type Output = Result<T, ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let TimeoutFuture { future: Some(future), sleep } = &mut *self else { return Poll::Pending };
        // A response that has arrived counts, even if the timeout has elapsed since.
        let result = match Pin::new(future).poll(context) {
            Poll::Ready(result) => result,
            Poll::Pending => match sleep.as_mut().map(|sleep| sleep.as_mut().poll(context)) {
                Some(Poll::Ready(())) => Err(ClientError::Timeout),
                Some(Poll::Pending) | None => return Poll::Pending,
            },
        };
        *self = TimeoutFuture { future: None, sleep: None };
        Poll::Ready(result)
    }
}

impl<F> fmt::Debug for TimeoutFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimeoutFuture").finish_non_exhaustive()
    }
}
