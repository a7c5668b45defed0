//! A call as a value: encoded when it is made, sent when it is awaited.

use super::caller::Caller;
use super::notify_call::NotifyCall;
use super::outgoing::Outgoing;
use super::response;
use super::send_state::{SendState, WAIT_WOULD_BLOCK};
use crate::block_on::wait;
use crate::error::{CallError, ClientError};
use crate::params::{Arguments, encode, encode_flat};
use crate::wire::{ErrorObject, Id};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// A call that is encoded but not sent; `.await` sends it and resolves to its result.
///
/// It holds its params as text and borrows only the caller, so its arguments may be dropped before it is
/// awaited. The future that [`send`](Call::send) or `.into_future()` returns borrows nothing. The message is
/// handed to the caller when that future is made, before its first poll.
///
/// ```
/// use rpc_core::client::Timeout;
/// use rpc_core::mock::Mock;
/// use rpc_core::time::ManualTimer;
/// use rpc_core::{ClientError, block_on, rpc};
/// use std::time::Duration;
///
/// #[rpc(params = "by_position")]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
/// }
///
/// # fn main() -> Result<(), ClientError> {
/// # block_on(async {
/// let mock = Mock::new().on("subtract", |_| Ok(19));
/// let calc = CalcClient::new(Timeout::new(mock.clone(), ManualTimer::new()));
///
/// // A request.
/// assert_eq!(calc.subtract(42, 23).await?, 19);
/// // A request with a timeout.
/// assert_eq!(calc.subtract(42, 23).timeout(Duration::from_secs(5)).await?, 19);
/// // A request with an explicit id, which the log of the server shows too.
/// assert_eq!(calc.subtract(42, 23).id("order-7").await?, 19);
/// // A batch.
/// let (first, second) = calc.batch((calc.subtract(42, 23), calc.subtract(42, 23))).await?;
/// assert_eq!((first?, second?), (19, 19));
/// // A notification, which has no id and gets no response.
/// calc.subtract(42, 23).notify().await?;
///
/// let sent = mock.sent();
/// assert_eq!(sent[0], r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
/// assert_eq!(sent[1], r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":2}"#);
/// assert_eq!(sent[2], r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":"order-7"}"#);
/// assert!(sent[3].starts_with(r#"[{"jsonrpc":"2.0","method":"subtract""#));
/// assert_eq!(sent[4], r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23]}"#);
/// # Ok(())
/// # })
/// # }
/// ```
#[must_use = "a call is sent when it is awaited"]
pub struct Call<'c, C, T, F = ClientError> {
    caller: &'c C,
    outgoing: serde_json::Result<Outgoing>,
    response: PhantomData<fn() -> (T, F)>,
}

impl<'c, C: Caller, T> Call<'c, C, T> {
    /// Returns a call of a method that no trait declares. `params` must serialize as an array, an object, or
    /// null, which leaves them out (§4.2).
    ///
    /// ```
    /// use rpc_core::client::Call;
    /// use rpc_core::mock::Mock;
    /// use rpc_core::{ClientError, block_on};
    ///
    /// let mock = Mock::new().on("add", |call| {
    ///     let (a, b): (i64, i64) = call.decode()?;
    ///     Ok(a + b)
    /// });
    /// let sum: i64 = block_on(Call::new(&mock, "add", &[1, 2]))?;
    /// assert_eq!(sum, 3);
    /// # Ok::<(), ClientError>(())
    /// ```
    pub fn new<P: Serialize + ?Sized>(caller: &'c C, method: &str, params: &P) -> Self {
        Call { caller, outgoing: Outgoing::new(method, params), response: PhantomData }
    }

    /// Declares the error `E` of the method: the call fails with [`CallError<E>`](CallError).
    ///
    /// ```
    /// use rpc_core::client::Call;
    /// use rpc_core::mock::Mock;
    /// use rpc_core::{CallError, ErrorObject, block_on};
    ///
    /// let mock = Mock::new().on("take", |_| Err::<(), _>(ErrorObject::new(7, "empty").into()));
    /// let error = block_on(Call::<_, u8>::new(&mock, "take", &()).with_error::<ErrorObject>()).unwrap_err();
    /// assert!(matches!(error, CallError::Method(object) if object.code == 7));
    /// ```
    pub fn with_error<E>(self) -> Call<'c, C, T, CallError<E>> {
        Call { caller: self.caller, outgoing: self.outgoing, response: PhantomData }
    }
}

impl<'c, C: Caller, T, F> Call<'c, C, T, F> {
    /// Sets the timeout, after which the call fails with [`ClientError::Timeout`] and is cancelled. With
    /// `None` it waits without limit. By default, the option `#[rpc(timeout)]` of the method applies, or else
    /// the default of the caller.
    ///
    /// A caller [without support for timeouts](Caller::supports_timeouts), such as
    /// [`InProcess`](crate::client::InProcess), rejects the call with [`ClientError::Unsupported`]. It
    /// ignores the option of the method. [`Timeout`](crate::client::Timeout) adds the support.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        let timeout = timeout.into();
        self.outgoing = self.outgoing.map(|outgoing| outgoing.with_timeout(timeout));
        self
    }

    /// Sets the id, which the caller chooses otherwise. It should differ from those of the caller's other
    /// pending calls. A [`Peer`](crate::connection::Peer) fails a call with an id that is in use with
    /// [`ClientError::NotSent`].
    pub fn id(mut self, id: impl Into<Id<'static>>) -> Self {
        let id = id.into();
        self.outgoing = self.outgoing.map(|outgoing| outgoing.with_id(id));
        self
    }

    /// Marks the call as safe to repeat, for callers such as [`Retry`](crate::client::Retry). The option
    /// `#[rpc(idempotent)]` marks all calls of a method.
    pub fn idempotent(mut self) -> Self {
        self.outgoing = self.outgoing.map(Outgoing::idempotent);
        self
    }

    /// Sends the call at once, and returns a future of its result that borrows nothing: for `tokio::spawn`, a
    /// `JoinSet` or `join_all`. Dropping the future cancels the call.
    ///
    /// ```
    /// # use rpc_core::{ClientError, Server, rpc};
    /// # #[rpc]
    /// # trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
    /// # struct MyCalc;
    /// # impl Calc for MyCalc { async fn add(&self, a: i64, b: i64) -> i64 { a + b } }
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let calc = CalcClient::new(Server::new(CalcService::new(MyCalc)).caller());
    /// let sums: Vec<_> = (0..3).map(|n| tokio::spawn(calc.add(n, n).send())).collect();
    /// for (n, sum) in (0..3).zip(sums) {
    ///     assert_eq!(sum.await??, n + n);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn send(self) -> CallFuture<C::ResponseFuture, T, F> {
        let state = SendState::send(self.caller, self.outgoing, C::call);
        CallFuture { state, response: PhantomData }
    }

    /// Turns the call into a notification: it has no id and gets no response (§4.1).
    pub fn notify(self) -> NotifyCall<'c, C> {
        NotifyCall::from_outgoing(self.caller, self.outgoing)
    }
}

impl<C: Caller, T: DeserializeOwned, F: From<ClientError> + From<ErrorObject>> Call<'_, C, T, F> {
    /// Sends the call and blocks this thread until its result arrives, for programs without an async runtime.
    /// Async code must not use it.
    ///
    /// The connection must run on another thread, as that of
    /// [`connect_blocking`](crate::net::connect_blocking) does. In a method that serves a connection, a call
    /// that is not complete at once fails with [`ClientError::Unsupported`].
    ///
    /// ```
    /// # use rpc_core::{ClientError, Server, rpc};
    /// # #[rpc]
    /// # trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
    /// # struct MyCalc;
    /// # impl Calc for MyCalc { async fn add(&self, a: i64, b: i64) -> i64 { a + b } }
    /// # let server = Server::new(CalcService::new(MyCalc));
    /// let calc = CalcClient::new(server.caller());
    /// assert_eq!(calc.add(1, 2).wait()?, 3);
    /// # Ok::<(), ClientError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as those of `.await`.
    pub fn wait(self) -> Result<T, F> {
        wait(self.into_future()).unwrap_or_else(|| Err(ClientError::Unsupported(WAIT_WOULD_BLOCK.into()).into()))
    }
}

// For generated code. `head` is a literal: the message up to the params.
impl<'c, C: Caller, T, F> Call<'c, C, T, F> {
    /// Encodes a call with one parameter for each argument.
    #[doc(hidden)]
    pub fn encoded(
        caller: &'c C,
        head: &'static str,
        names: &[&str],
        by_name: bool,
        arguments: &impl Arguments,
    ) -> Self {
        let outgoing = Outgoing::encode(head, |out| encode(arguments, names, by_name, out));
        Call { caller, outgoing, response: PhantomData }
    }

    /// Encodes a call with one argument that is the whole of the params.
    #[doc(hidden)]
    pub fn encoded_flat<P: Serialize + ?Sized>(caller: &'c C, head: &'static str, params: &P) -> Self {
        let outgoing = Outgoing::encode(head, |out| encode_flat(params, out));
        Call { caller, outgoing, response: PhantomData }
    }

    /// Sets the timeout from the option `timeout` of the method, in milliseconds.
    #[doc(hidden)]
    pub fn method_timeout(mut self, millis: u64) -> Self {
        self.outgoing = self.outgoing.map(|outgoing| outgoing.method_timeout(Duration::from_millis(millis)));
        self
    }

    /// Returns the message, for a batch.
    pub(super) fn into_outgoing(self) -> serde_json::Result<Outgoing> {
        self.outgoing
    }
}

impl<C: Caller, T: DeserializeOwned, F: From<ClientError> + From<ErrorObject>> IntoFuture for Call<'_, C, T, F> {
    type Output = Result<T, F>;
    type IntoFuture = CallFuture<C::ResponseFuture, T, F>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

impl<C, T, F> fmt::Debug for Call<'_, C, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("outgoing", &self.outgoing).finish_non_exhaustive()
    }
}

/// The future of a call that was sent. It resolves to the result, and borrows nothing. The example is at
/// [`Call::send`].
#[must_use = "futures do nothing unless awaited; dropping this one cancels the call"]
pub struct CallFuture<R, T, F> {
    state: SendState<R>,
    response: PhantomData<fn() -> (T, F)>,
}

impl<R, T, F> Future for CallFuture<R, T, F>
where
    R: Future<Output = Result<String, ClientError>> + Unpin,
    T: DeserializeOwned,
    F: From<ClientError> + From<ErrorObject>,
{
    type Output = Result<T, F>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let text = ready!(self.state.poll(context));
        Poll::Ready(text.map_err(F::from).and_then(|text| response::decode(&text)))
    }
}

impl<R, T, F> fmt::Debug for CallFuture<R, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFuture").finish_non_exhaustive()
    }
}
