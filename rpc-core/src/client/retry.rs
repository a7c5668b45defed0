//! Trying again around any caller.

use super::caller::{BoxFuture, Caller};
use super::outgoing::Outgoing;
use super::outgoing_batch::{BatchResponses, OutgoingBatch};
use crate::error::ClientError;
use crate::time::Timer;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Makes calls of another caller again that failed on the way.
///
/// A call that was [not sent](ClientError::NotSent) is made again whatever it is; one that was lost on the
/// way ([`Closed`](ClientError::Closed), [`Transport`](ClientError::Transport), [`Timeout`](ClientError::Timeout),
/// [`Http`](ClientError::Http)) only if it is marked as [idempotent](crate::client::Call::idempotent), for it may have
/// been carried out. A reply is a reply: an error object is never asked for again. A batch is made again
/// as a whole, if all of it is idempotent.
///
/// Between two attempts it [pauses](Retry::pause), each time twice as long. Inside a [`Timeout`](super::Timeout)
/// the attempts share one timeout; around one each has its own.
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
/// let patient = Retry::new(flaky, ManualTimer::new(), 5).pause(Duration::ZERO);
/// assert_eq!(block_on(Call::<_, u8>::new(&patient, "read", &()).idempotent())?, 3);
/// # Ok::<(), ClientError>(())
/// ```
pub struct Retry<C, T> {
    caller: Arc<C>,
    timer: Arc<T>,
    attempts: u32,
    pause: Duration,
}

impl<C: Caller, T: Timer> Retry<C, T> {
    /// Makes each call of `caller` at most `attempts` times, the first included, which is always made; `timer`
    /// lets the pauses pass.
    pub fn new(caller: C, timer: T, attempts: u32) -> Self {
        Retry { caller: Arc::new(caller), timer: Arc::new(timer), attempts, pause: Duration::from_millis(100) }
    }

    /// Sets the pause before the second attempt, 100 ms unless it is set; zero is none.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Makes attempts until one succeeds or is the last.
    async fn attempt<R, F: Future<Output = Result<R, ClientError>>>(
        self,
        is_idempotent: bool,
        send: impl Fn(&C) -> F,
    ) -> Result<R, ClientError> {
        let (mut made, mut pause) = (1, self.pause);
        loop {
            let end = send(&self.caller).await;
            let is_last = made >= self.attempts;
            match end {
                Err(error) if !is_last && may_be_repeated(&error, is_idempotent) => made += 1,
                end => return end,
            }
            if !pause.is_zero() {
                self.timer.sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
        }
    }
}

/// Whether a call that failed so may be made again.
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
        let me = self.clone();
        Box::pin(async move { me.attempt(outgoing.is_idempotent(), |caller| caller.call(outgoing.clone())).await })
    }

    fn notify(&self, outgoing: Outgoing) -> Self::SendFuture {
        let me = self.clone();
        Box::pin(async move { me.attempt(outgoing.is_idempotent(), |caller| caller.notify(outgoing.clone())).await })
    }

    fn batch(&self, batch: OutgoingBatch) -> BoxFuture<BatchResponses> {
        let me = self.clone();
        Box::pin(async move { me.attempt(batch.is_idempotent(), |caller| caller.batch(batch.clone())).await })
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
