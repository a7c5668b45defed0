//! Timeouts around any caller.

use super::caller::{BoxFuture, Caller};
use super::outgoing::Outgoing;
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use crate::error::ClientError;
use crate::time::Timer;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// Gives up the calls of another caller when their time is over: [`ClientError::Timeout`].
///
/// A call without a timeout of its own has that of its method, and if there is none either, [that of this
/// caller](Timeout::default_timeout), 60 seconds unless it is set. What is given up is dropped: the other caller need not know of time. A call's own timeout counts in each
/// `Timeout` that it passes: around a [`Retry`](super::Retry) and inside it, it is for all attempts and for each.
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
/// let calc = CalcClient::new(Timeout::new(Mock::new().never_responds(), timer.clone()).default_timeout(Duration::from_secs(10)));
/// let (default_timeout, longer) = (calc.add(1, 2).into_future(), calc.add(1, 2).timeout(Duration::from_secs(20)).into_future());
/// timer.advance(Duration::from_secs(10));
/// assert!(matches!(block_on(default_timeout), Err(ClientError::Timeout)));
/// timer.advance(Duration::from_secs(10));
/// assert!(matches!(block_on(longer), Err(ClientError::Timeout)));
/// ```
///
/// [`ThreadTimer`](super::ThreadTimer) is a timer for any program; others are one function, see [`Timer`].
#[derive(Clone)]
pub struct Timeout<C, T> {
    caller: C,
    timer: T,
    default: Option<Duration>,
}

impl<C: Caller, T: Timer> Timeout<C, T> {
    /// Keeps time for the calls of `caller`, with `timer`.
    pub fn new(caller: C, timer: T) -> Self {
        Timeout { caller, timer, default: Some(Duration::from_secs(60)) }
    }

    /// Sets how long calls wait that have no timeout of their own or of their method; `None` waits without end.
    #[must_use]
    pub fn default_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.default = timeout.into();
        self
    }

    /// What the calls go to.
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
        f.debug_struct("Timed")
            .field("caller", &self.caller)
            .field("default_timeout", &self.default)
            .finish_non_exhaustive()
    }
}

/// What a future resolves to within its time. The example is at [`Timeout`].
#[must_use = "what comes of it is known when it is awaited; dropped, it is given up"]
pub struct TimeoutFuture<F> {
    future: Option<F>,
    sleep: Option<BoxFuture<()>>,
}

impl<F: Future<Output = Result<T, ClientError>> + Unpin, T> Future for TimeoutFuture<F> {
    type Output = Result<T, ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let TimeoutFuture { future: Some(future), sleep } = &mut *self else { return Poll::Pending };
        // What is there in time counts, even if nobody looked in time.
        let end = match Pin::new(future).poll(context) {
            Poll::Ready(end) => end,
            Poll::Pending => match sleep.as_mut().map(|sleep| sleep.as_mut().poll(context)) {
                Some(Poll::Ready(())) => Err(ClientError::Timeout),
                Some(Poll::Pending) | None => return Poll::Pending,
            },
        };
        *self = TimeoutFuture { future: None, sleep: None };
        Poll::Ready(end)
    }
}

impl<F> fmt::Debug for TimeoutFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Within").finish_non_exhaustive()
    }
}
