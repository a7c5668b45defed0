//! A caller that repeats calls of another one.

use super::caller::{BoxFuture, Caller};
use super::outgoing::Outgoing;
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use crate::error::ClientError;
use crate::time::Timer;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A caller that repeats calls of another one when they fail without a response.
///
/// | failure | repeated |
/// |---|---|
/// | [`ClientError::NotSent`] | always |
/// | [`ClientError::Closed`], [`ClientError::Timeout`] | if the call is [idempotent]: the peer may have handled it |
/// | any other, error responses included | never |
///
/// A batch is repeated as a whole. It is idempotent if all of its members are idempotent calls.
///
/// Between attempts there is a [pause](Retry::pause), which doubles each time. With a
/// [`Timeout`](super::Timeout) around the `Retry`, all attempts share one timeout; with one inside, each
/// attempt has its own.
///
/// [idempotent]: super::Call::idempotent
///
/// ```
/// use rpc_core::client::{Call, Retry};
/// use rpc_core::mock::Mock;
/// use rpc_core::time::ManualTimer;
/// use rpc_core::{ClientError, block_on};
/// use std::time::Duration;
///
/// let mut attempts = 0;
/// let flaky = Mock::new().on("read", move |_| {
///     attempts += 1;
///     if attempts < 3 { Err(ClientError::Closed("reset".into())) } else { Ok(attempts) }
/// });
/// let caller = Retry::new(flaky, ManualTimer::new(), 5).pause(Duration::ZERO);
/// assert_eq!(block_on(Call::<_, u8>::new(&caller, "read", &()).idempotent())?, 3);
/// # Ok::<(), ClientError>(())
/// ```
pub struct Retry<C, T> {
    caller: Arc<C>,
    timer: Arc<T>,
    attempts: u32,
    pause: Duration,
}

impl<C: Caller, T: Timer> Retry<C, T> {
    /// Returns a caller that makes each call of `caller` at most `attempts` times, the first time included.
    /// The first attempt is made even if `attempts` is 0. `timer` measures the pauses.
    pub fn new(caller: C, timer: T, attempts: u32) -> Self {
        Retry { caller: Arc::new(caller), timer: Arc::new(timer), attempts, pause: Duration::from_millis(100) }
    }

    /// Sets the pause before the second attempt, 100 ms by default. Zero means no pauses.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Makes attempts until one succeeds, or fails and may not be repeated.
    async fn retry<R, F: Future<Output = Result<R, ClientError>>>(
        self,
        is_idempotent: bool,
        send: impl Fn(&C) -> F,
    ) -> Result<R, ClientError> {
        let (mut attempt, mut pause) = (1, self.pause);
        loop {
            let result = send(&self.caller).await;
            let is_last = attempt >= self.attempts;
            match result {
                Err(error) if !is_last && may_be_repeated(&error, is_idempotent) => attempt += 1,
                result => return result,
            }
            if !pause.is_zero() {
                self.timer.sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
        }
    }
}

/// Returns whether a call may be repeated after this failure.
fn may_be_repeated(error: &ClientError, is_idempotent: bool) -> bool {
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
        let this = self.clone();
        Box::pin(async move { this.retry(outgoing.is_idempotent(), |caller| caller.call(outgoing.clone())).await })
    }

    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        let this = self.clone();
        Box::pin(async move { this.retry(outgoing.is_idempotent(), |caller| caller.notify(outgoing.clone())).await })
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        let this = self.clone();
        Box::pin(async move { this.retry(batch.is_idempotent(), |caller| caller.batch(batch.clone())).await })
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
