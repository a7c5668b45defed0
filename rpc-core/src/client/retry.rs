//! Retries around any caller.

use super::caller::{BoxFuture, Caller};
use super::outgoing::Outgoing;
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use crate::error::ClientError;
use crate::time::Timer;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Repeats failed calls of another caller.
///
/// A call that was [not sent](ClientError::NotSent) is repeated always. A call that ended with
/// [`Closed`](ClientError::Closed) or [`Timeout`](ClientError::Timeout) may have run, so it is repeated only if it is
/// [idempotent](crate::client::Call::idempotent). An error object is a response and is not repeated. A batch is repeated
/// as a whole, if all its members are idempotent calls.
///
/// The [pause](Retry::pause) between attempts doubles each time. Inside a [`Timeout`](super::Timeout), all attempts share
/// one timeout; around one, each attempt has its own.
///
/// ```
/// use rpc_core::{ClientError, block_on};
/// use rpc_core::client::{Call, Retry};
/// use rpc_core::mock::Mock;
/// use rpc_core::time::ManualTimer;
/// use std::time::Duration;
///
/// let mut attempts = 0;
/// let flaky = Mock::new().on("read", move |_| {
///     attempts += 1;
///     if attempts < 3 { Err(ClientError::Closed("reset".into())) } else { Ok(attempts) }
/// });
/// let retry = Retry::new(flaky, ManualTimer::new(), 5).pause(Duration::ZERO);
/// assert_eq!(block_on(Call::<_, u8>::new(&retry, "read", &()).idempotent())?, 3);
/// # Ok::<(), ClientError>(())
/// ```
pub struct Retry<C, T> {
    caller: Arc<C>,
    timer: Arc<T>,
    attempts: u32,
    pause: Duration,
}

impl<C: Caller, T: Timer> Retry<C, T> {
    /// Wraps a caller. Each call is made at most `attempts` times, and at least once. `timer` measures the pauses.
    pub fn new(caller: C, timer: T, attempts: u32) -> Self {
        Retry { caller: Arc::new(caller), timer: Arc::new(timer), attempts, pause: Duration::from_millis(100) }
    }

    /// Sets the pause before the second attempt, 100 ms by default. With zero there are no pauses.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Calls `send` until an attempt succeeds or is the last.
    async fn attempt<R, F: Future<Output = Result<R, ClientError>>>(
        self,
        is_idempotent: bool,
        send: impl Fn(&C) -> F,
    ) -> Result<R, ClientError> {
        let (mut attempt, mut pause) = (1, self.pause);
        loop {
            let outcome = send(&self.caller).await;
            let is_last = attempt >= self.attempts;
            match outcome {
                Err(error) if !is_last && can_be_repeated(&error, is_idempotent) => attempt += 1,
                outcome => return outcome,
            }
            if !pause.is_zero() {
                self.timer.sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
        }
    }
}

/// Returns whether a call that failed with this error can be repeated.
fn can_be_repeated(error: &ClientError, is_idempotent: bool) -> bool {
    match error {
        ClientError::NotSent(_) => true,
        ClientError::Closed(_) | ClientError::Timeout => is_idempotent,
        _ => false,
    }
}

impl<C: Caller, T: Timer> Caller for Retry<C, T> {
    type ResponseFuture = BoxFuture<Result<String, ClientError>>;
    type SendFuture = BoxFuture<Result<(), ClientError>>;

    fn call(&self, outgoing: Outgoing) -> Self::ResponseFuture {
        let retry = self.clone();
        Box::pin(async move { retry.attempt(outgoing.is_idempotent(), |caller| caller.call(outgoing.clone())).await })
    }

    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        let retry = self.clone();
        Box::pin(async move { retry.attempt(outgoing.is_idempotent(), |caller| caller.notify(outgoing.clone())).await })
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        let retry = self.clone();
        Box::pin(async move { retry.attempt(batch.is_idempotent(), |caller| caller.batch(batch.clone())).await })
    }

    fn supports_timeouts(&self) -> bool {
        self.caller.supports_timeouts()
    }
}

impl<C, T> Clone for Retry<C, T> {
    fn clone(&self) -> Self {
        let Retry { caller, timer, attempts, pause } = self;
        Retry { caller: caller.clone(), timer: timer.clone(), attempts: *attempts, pause: *pause }
    }
}

impl<C: fmt::Debug, T> fmt::Debug for Retry<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("caller", &self.caller)
            .field("attempts", &self.attempts)
            .field("pause", &self.pause)
            .finish_non_exhaustive()
    }
}
