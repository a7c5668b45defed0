//! A call as a value: written when made, sent when awaited.

use super::caller::Caller;
use super::notify_call::NotifyCall;
use super::outgoing::Outgoing;
use super::response;
use super::send_state::{SendState, WAITS_FOR_ITSELF};
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

/// A call that has been written but not sent; `.await` sends it and gives its result.
///
/// It holds its parameters as text and borrows only the client, so arguments may go before it is
/// awaited. Its future, which `.into_future()` gives, borrows nothing: that is what a task is spawned with. The
/// message is handed to the caller when the future is made, before it is first polled.
///
/// One call, five ways to use it:
///
/// ```
/// use rpc_core::client::Timeout;
/// use rpc_core::time::ManualTimer;
/// use rpc_core::mock::Mock;
/// use rpc_core::{ClientError, block_on, rpc};
/// use std::time::Duration;
///
/// #[rpc]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
/// }
///
/// # fn main() -> Result<(), ClientError> {
/// # block_on(async {
/// let wire = Mock::new().on("subtract", |_| Ok(19));
/// let calc = CalcClient::new(Timeout::new(wire.clone(), ManualTimer::new()));
///
/// // 1. Awaited: sent, and its result read.
/// assert_eq!(calc.subtract(42, 23).await?, 19);
///
/// // 2. With a timeout of its own.
/// assert_eq!(calc.subtract(42, 23).timeout(Duration::from_secs(5)).await?, 19);
///
/// // 3. Under an id of its own, to be found in the log of the other side.
/// assert_eq!(calc.subtract(42, 23).id("order-7").await?, 19);
///
/// // 4. With others, as one message.
/// let (first, second) = calc.batch((calc.subtract(42, 23), calc.subtract(23, 42))).await?;
/// assert_eq!((first?, second?), (19, 19));
///
/// // 5. As a notification: no id, and no reply to wait for.
/// calc.subtract(42, 23).notify().await?;
///
/// let sent = wire.sent();
/// assert_eq!(sent[0], r#"{"jsonrpc":"2.0","method":"subtract","params":{"minuend":42,"subtrahend":23},"id":1}"#);
/// assert_eq!(sent[1], r#"{"jsonrpc":"2.0","method":"subtract","params":{"minuend":42,"subtrahend":23},"id":2}"#);
/// assert_eq!(sent[2], r#"{"jsonrpc":"2.0","method":"subtract","params":{"minuend":42,"subtrahend":23},"id":"order-7"}"#);
/// assert!(sent[3].starts_with(r#"[{"jsonrpc":"2.0","method":"subtract""#));
/// assert_eq!(sent[4], r#"{"jsonrpc":"2.0","method":"subtract","params":{"minuend":42,"subtrahend":23}}"#);
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

impl<'c, C: Caller, T, F> Call<'c, C, T, F> {
    /// `head` is the message up to the params: the macro writes it as a literal.
    #[doc(hidden)]
    #[inline]
    pub fn encoded(
        caller: &'c C,
        head: &'static str,
        names: &[&str],
        by_name: bool,
        arguments: &impl Arguments,
    ) -> Self {
        let outgoing = Outgoing::open(head, |out| encode(arguments, names, by_name, out));
        Call { caller, outgoing, response: PhantomData }
    }

    /// As `written`, with one argument that is the whole of the params.
    #[doc(hidden)]
    #[inline]
    pub fn encoded_flat<P: Serialize + ?Sized>(caller: &'c C, head: &'static str, params: &P) -> Self {
        let outgoing = Outgoing::open(head, |out| encode_flat(params, out));
        Call { caller, outgoing, response: PhantomData }
    }

    /// Gives the call up when no reply has come within `timeout`: [`ClientError::Timeout`]. `None` waits without
    /// end. Without this, what the method's word `timeout` says holds, or else the caller's own timeout.
    ///
    /// A caller that keeps no time, such as [`InProcess`](crate::connection::InProcess), refuses a call with a timeout:
    /// [`Timeout`](crate::client::Timeout) around it keeps time. That of the method it passes over.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        let timeout = timeout.into();
        self.outgoing = self.outgoing.map(|outgoing| outgoing.with_timeout(timeout));
        self
    }

    /// Sends the call under this id instead of one of the caller's choice. No other open call of the
    /// same caller should have it.
    pub fn id(mut self, id: impl Into<Id<'static>>) -> Self {
        let id = id.into();
        self.outgoing = self.outgoing.map(|outgoing| outgoing.with_id(id));
        self
    }

    /// Marks the call as one that may be made twice, for callers that try again, such as
    /// [`Retry`](crate::client::Retry). The word `idempotent` marks all calls of a method.
    pub fn idempotent(mut self) -> Self {
        self.outgoing = self.outgoing.map(Outgoing::idempotent);
        self
    }

    /// Sends the call at once, and returns a future of its result that borrows nothing: for `tokio::spawn`, a `JoinSet`
    /// or `join_all`. Dropping the future cancels the call.
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
        let state = SendState::of(self.caller, self.outgoing, C::call);
        CallFuture { state, response: PhantomData }
    }

    /// The same message as a notification: no id, and no reply to wait for (§4.1).
    pub fn notify(self) -> NotifyCall<'c, C> {
        NotifyCall::of(self.caller, self.outgoing)
    }

    /// What its method's word `timeout` says: the macro writes it.
    #[doc(hidden)]
    pub fn method_timeout(mut self, millis: u64) -> Self {
        self.outgoing = self.outgoing.map(|outgoing| outgoing.method_timeout(millis));
        self
    }

    /// Takes the message out, for a batch.
    pub(super) fn into_outgoing(self) -> serde_json::Result<Outgoing> {
        self.outgoing
    }
}

impl<'c, C: Caller, T> Call<'c, C, T> {
    /// Returns a call of a method that no trait declares. `params` must serialize as an array, an object, or null, which
    /// leaves them out (§4.2).
    ///
    /// ```
    /// use rpc_core::client::Call;
    /// use rpc_core::mock::Mock;
    /// use rpc_core::{ClientError, block_on};
    ///
    /// let wire = Mock::new().on("add", |call| {
    ///     let (a, b): (i64, i64) = call.decode()?;
    ///     Ok(a + b)
    /// });
    /// let sum: i64 = block_on(Call::new(&wire, "add", &[1, 2]))?;
    /// assert_eq!(sum, 3);
    /// # Ok::<(), ClientError>(())
    /// ```
    pub fn new<P: Serialize + ?Sized>(caller: &'c C, method: &str, params: &P) -> Self {
        Call { caller, outgoing: Outgoing::new(method, params), response: PhantomData }
    }

    /// The same call, failing with the method's own error `E` where the peer returns one.
    ///
    /// ```
    /// use rpc_core::client::Call;
    /// use rpc_core::mock::Mock;
    /// use rpc_core::{CallError, ErrorObject, block_on};
    ///
    /// let wire = Mock::new().on("take", |_| Err::<(), _>(ErrorObject::new(7, "empty").into()));
    /// let error = block_on(Call::<_, u8>::new(&wire, "take", &()).with_error::<ErrorObject>()).unwrap_err();
    /// assert!(matches!(error, CallError::Method(object) if object.code == 7));
    /// ```
    pub fn with_error<E>(self) -> Call<'c, C, T, CallError<E>> {
        Call { caller: self.caller, outgoing: self.outgoing, response: PhantomData }
    }
}

impl<C: Caller, T: DeserializeOwned, F: From<ClientError> + From<ErrorObject>> Call<'_, C, T, F> {
    /// Sends the call and gives its result, for programs without an async runtime: this thread waits. Not for
    /// async code, which would stand still meanwhile: the caller's connection must run on another thread, as
    /// that of [`connect_blocking`](crate::net::connect_blocking) does. In a method that serves a connection, a call
    /// that would have to be waited for is refused: [`ClientError::Unsupported`].
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
    /// As awaiting it.
    pub fn wait(self) -> Result<T, F> {
        wait(self.into_future()).unwrap_or_else(|| Err(ClientError::Unsupported(WAITS_FOR_ITSELF.into()).into()))
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

/// A call that has been sent: resolves to its result. It borrows nothing.
#[must_use = "what comes of it is known when it is awaited; dropped, it is given up"]
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
        Poll::Ready(text.map_err(F::from).and_then(|text| response::read(&text)))
    }
}

impl<R, T, F> fmt::Debug for CallFuture<R, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFuture").finish_non_exhaustive()
    }
}
