//! A call as a value: written when made, sent when awaited.

use super::caller::Caller;
use super::notify_call::NotifyCall;
use super::outgoing::Outgoing;
use super::response;
use super::send_state::{SendState, WAITS_FOR_ITSELF};
use crate::block_on::wait;
use crate::error::{CallError, RpcError};
use crate::params::{Arguments, encode, encode_flat};
use crate::wire::Id;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::convert::Infallible;
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
/// use rpc_core::client::{ManualTimer, Timeout};
/// use rpc_core::mock::Mock;
/// use rpc_core::{CallError, block_on, rpc};
/// use std::time::Duration;
///
/// #[rpc]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
/// }
///
/// # fn main() -> Result<(), CallError> {
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
pub struct Call<'c, C, T, E = Infallible> {
    caller: &'c C,
    outgoing: serde_json::Result<Outgoing>,
    response: PhantomData<fn() -> (T, E)>,
}

impl<'c, C: Caller, T, E> Call<'c, C, T, E> {
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

    /// A call of a method that no trait says: `params` must serialise as a list or an object, or as
    /// null, which leaves them out (§4.2).
    ///
    /// ```
    /// use rpc_core::mock::Mock;
    /// use rpc_core::{Call, CallError, block_on};
    ///
    /// let wire = Mock::new().on("add", |call| {
    ///     let (a, b): (i64, i64) = call.decode()?;
    ///     Ok(a + b)
    /// });
    /// let sum: i64 = block_on(Call::new(&wire, "add", &[1, 2]))?;
    /// assert_eq!(sum, 3);
    /// # Ok::<(), CallError>(())
    /// ```
    pub fn new<P: Serialize + ?Sized>(caller: &'c C, method: &str, params: &P) -> Self {
        Call { caller, outgoing: Outgoing::new(method, params), response: PhantomData }
    }

    /// Gives the call up when no reply has come within `timeout`: [`CallError::Timeout`]. `None` waits without
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

impl<C: Caller, T: DeserializeOwned, E: RpcError> Call<'_, C, T, E> {
    /// Sends the call and gives its result, for programs without an async runtime: this thread waits. Not for
    /// async code, which would stand still meanwhile: the caller's connection must run on another thread, as
    /// that of [`connect_blocking`](crate::net::connect_blocking) does. In a method that serves a connection, a call
    /// that would have to be waited for is refused: [`CallError::Unsupported`].
    ///
    /// ```
    /// # use rpc_core::{CallError, Server, rpc};
    /// # #[rpc]
    /// # trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
    /// # struct MyCalc;
    /// # impl Calc for MyCalc { async fn add(&self, a: i64, b: i64) -> i64 { a + b } }
    /// # let server = Server::new(CalcService::new(MyCalc));
    /// let calc = CalcClient::new(server.caller());
    /// assert_eq!(calc.add(1, 2).wait()?, 3);
    /// # Ok::<(), CallError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As awaiting it.
    pub fn wait(self) -> Result<T, CallError<E>> {
        wait(self.into_future()).unwrap_or_else(|| Err(CallError::Unsupported(WAITS_FOR_ITSELF.into())))
    }
}

impl<C: Caller, T: DeserializeOwned, E: RpcError> IntoFuture for Call<'_, C, T, E> {
    type Output = Result<T, CallError<E>>;
    type IntoFuture = CallFuture<C::ResponseFuture, T, E>;

    fn into_future(self) -> Self::IntoFuture {
        CallFuture { state: SendState::of(self.caller, self.outgoing, C::call), response: PhantomData }
    }
}

impl<C, T, E> fmt::Debug for Call<'_, C, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("outgoing", &self.outgoing).finish_non_exhaustive()
    }
}

/// A call that has been sent: resolves to its result. It borrows nothing.
#[must_use = "what comes of it is known when it is awaited; dropped, it is given up"]
pub struct CallFuture<F, T, E> {
    state: SendState<F>,
    response: PhantomData<fn() -> (T, E)>,
}

impl<F, T, E> Future for CallFuture<F, T, E>
where
    F: Future<Output = Result<String, CallError>> + Unpin,
    T: DeserializeOwned,
    E: RpcError,
{
    type Output = Result<T, CallError<E>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let text = ready!(self.state.poll(context));
        Poll::Ready(text.map_err(CallError::widen).and_then(|text| response::read(&text)))
    }
}

impl<F, T, E> fmt::Debug for CallFuture<F, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFuture").finish_non_exhaustive()
    }
}
