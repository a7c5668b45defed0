//! Timeouts around any caller.

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

/// Adds timeouts to another caller: a call that gets no response in time fails with [`ClientError::Timeout`], and its
/// future is dropped. A [`Peer`](crate::connection::Peer) has timeouts already and needs no `Timeout`.
///
/// The timeout of a call takes precedence over that of its method, and that over the [default](Timeout::default_timeout)
/// of 60 s. A call's timeout applies in each `Timeout` around its caller: around a [`Retry`](super::Retry) to all attempts
/// together, inside to each.
///
/// ```
/// use rpc_core::client::Timeout;
/// use rpc_core::time::ManualTimer;
/// use rpc_core::mock::Mock;
/// use rpc_core::{ClientError, block_on, rpc};
/// use std::time::Duration;
///
/// #[rpc]
/// trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
///
/// let timer = ManualTimer::new();
/// let caller = Timeout::new(Mock::new().never_responds(), timer.clone()).default_timeout(Duration::from_secs(10));
/// let calc = CalcClient::new(caller);
/// let (short, long) = (calc.add(1, 2).send(), calc.add(1, 2).timeout(Duration::from_secs(20)).send());
/// timer.advance(Duration::from_secs(10));
/// assert!(matches!(block_on(short), Err(ClientError::Timeout)));
/// timer.advance(Duration::from_secs(10));
/// assert!(matches!(block_on(long), Err(ClientError::Timeout)));
/// ```
///
/// [`ThreadTimer`](crate::time::ThreadTimer) works in any program.
#[derive(Clone)]
pub struct Timeout<C, T> {
    caller: C,
    timer: T,
    default: Option<Duration>,
}

impl<C: Caller, T: Timer> Timeout<C, T> {
    /// Wraps a caller. `timer` measures the timeouts.
    pub fn new(caller: C, timer: T) -> Self {
        Timeout { caller, timer, default: Some(CALL_TIMEOUT) }
    }

    /// Sets the timeout of calls that have none of their own or of their method, 60 s by default. With `None` they wait
    /// without limit.
    #[must_use]
    pub fn default_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.default = timeout.into();
        self
    }

    /// Returns the wrapped caller.
    pub fn caller(&self) -> &C {
        &self.caller
    }

    fn with_timeout<F>(&self, timeout: Option<Duration>, future: F) -> TimeoutFuture<F> {
        TimeoutFuture { future: Some(future), sleep: timeout.map(|timeout| self.timer.sleep(timeout)) }
    }
}

impl<C: Caller, T: Timer> Caller for Timeout<C, T> {
    type ResponseFuture = TimeoutFuture<C::ResponseFuture>;
    type SendFuture = TimeoutFuture<C::SendFuture>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        let timeout = outgoing.timeout_or(self.default);
        self.with_timeout(timeout, self.caller.call(outgoing))
    }

    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        let timeout = outgoing.timeout_or(self.default);
        self.with_timeout(timeout, self.caller.notify(outgoing))
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        let timeout = batch.timeout_or(self.default);
        Box::pin(self.with_timeout(timeout, self.caller.batch(batch)))
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

/// The future of a call with a timeout. The example is at [`Timeout`].
#[must_use = "the outcome is known when the future is awaited; dropping it cancels the call"]
pub struct TimeoutFuture<F> {
    future: Option<F>,
    sleep: Option<BoxFuture<()>>,
}

impl<F: Future<Output = Result<T, ClientError>> + Unpin, T> Future for TimeoutFuture<F> {
    type Output = Result<T, ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let TimeoutFuture { future: Some(future), sleep } = &mut *self else { return Poll::Pending };
        // A response that is ready counts, even if it is polled after the timeout.
        let outcome = match Pin::new(future).poll(context) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => match sleep.as_mut().map(|sleep| sleep.as_mut().poll(context)) {
                Some(Poll::Ready(())) => Err(ClientError::Timeout),
                Some(Poll::Pending) | None => return Poll::Pending,
            },
        };
        *self = TimeoutFuture { future: None, sleep: None };
        Poll::Ready(outcome)
    }
}

impl<F> fmt::Debug for TimeoutFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimeoutFuture").finish_non_exhaustive()
    }
}
