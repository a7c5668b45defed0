//! Calls and notifications as values: written when made, sent when awaited.

use super::caller::Caller;
use super::outgoing::Outgoing;
use super::reply;
use crate::error::{CallError, RpcError};
use crate::params::{Arguments, encode, encode_flat};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A call that has been written but not sent; `.await` sends it and gives its result.
///
/// It holds its parameters as text and borrows only the client, so arguments may go before it is
/// awaited.
///
/// ```
/// use rpc_core::{CallError, Server, block_on, rpc};
///
/// #[rpc]
/// trait Calc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
/// }
/// struct MyCalc;
/// impl Calc for MyCalc {
///     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
///         minuend - subtrahend
///     }
/// }
///
/// block_on(async {
///     let calc = CalcClient::new(Server::new(CalcService::new(MyCalc)).caller());
///     let call = calc.subtract(42, 23);
///     assert_eq!(call.await?, 19);
///     Ok::<(), CallError>(())
/// })?;
/// # Ok::<(), CallError>(())
/// ```
#[must_use = "a call is sent when it is awaited"]
pub struct Call<'c, C, T, E = Infallible> {
    caller: &'c C,
    outgoing: serde_json::Result<Outgoing>,
    answer: PhantomData<fn() -> (T, E)>,
}

impl<'c, C: Caller, T, E> Call<'c, C, T, E> {
    /// `head` is the message up to the params: the macro writes it as a literal.
    #[doc(hidden)]
    #[inline]
    pub fn written(
        caller: &'c C,
        head: &'static str,
        names: &[&str],
        by_name: bool,
        arguments: &impl Arguments,
    ) -> Self {
        let outgoing = Outgoing::open(head, |out| encode(arguments, names, by_name, out));
        Call { caller, outgoing, answer: PhantomData }
    }

    /// As `written`, with one argument that is the whole of the params.
    #[doc(hidden)]
    #[inline]
    pub fn written_flat<P: Serialize + ?Sized>(caller: &'c C, head: &'static str, params: &P) -> Self {
        let outgoing = Outgoing::open(head, |out| encode_flat(params, out));
        Call { caller, outgoing, answer: PhantomData }
    }
}

impl<C, T, E> Call<'_, C, T, E> {
    /// Says that the call may be sent twice, as its effect is the same: a caller that retries sees it by
    /// [`Outgoing::is_idempotent`]. The word `idempotent` says it for a method.
    pub fn idempotent(mut self) -> Self {
        if let Ok(outgoing) = &mut self.outgoing {
            outgoing.mark_idempotent();
        }
        self
    }
}

impl<C: Caller, T: DeserializeOwned, E: RpcError> IntoFuture for Call<'_, C, T, E> {
    type Output = Result<T, CallError<E>>;
    type IntoFuture = CallFuture<C::Reply, T, E>;

    fn into_future(self) -> Self::IntoFuture {
        CallFuture { state: State::of(self.outgoing, |outgoing| self.caller.call(outgoing)), answer: PhantomData }
    }
}

impl<C, T, E> fmt::Debug for Call<'_, C, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("outgoing", &self.outgoing).finish_non_exhaustive()
    }
}

/// A call that has been sent: resolves to its result. It borrows nothing.
#[must_use = "a future does nothing unless it is polled"]
pub struct CallFuture<F, T, E> {
    state: State<F>,
    answer: PhantomData<fn() -> (T, E)>,
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
        Poll::Ready(text.map_err(CallError::widen).and_then(|text| reply::read(&text)))
    }
}

impl<F, T, E> fmt::Debug for CallFuture<F, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFuture").finish_non_exhaustive()
    }
}

/// A notification that has been written but not sent; `.await` sends it. There is never a reply.
///
/// ```
/// use rpc_core::{CallError, Server, block_on, rpc};
///
/// #[rpc]
/// trait Watch {
///     #[rpc(notification)]
///     async fn file_changed(&self, path: &str);
/// }
/// struct Quiet;
/// impl Watch for Quiet {
///     async fn file_changed(&self, _path: &str) {}
/// }
///
/// let watch = WatchClient::new(Server::new(WatchService::new(Quiet)).caller());
/// block_on(watch.file_changed("a.td"))?;
/// # Ok::<(), CallError>(())
/// ```
#[must_use = "a notification is sent when it is awaited"]
pub struct Notify<'c, C> {
    caller: &'c C,
    outgoing: serde_json::Result<Outgoing>,
}

impl<'c, C: Caller> Notify<'c, C> {
    /// As [`Call::written`].
    #[doc(hidden)]
    #[inline]
    pub fn written(
        caller: &'c C,
        head: &'static str,
        names: &[&str],
        by_name: bool,
        arguments: &impl Arguments,
    ) -> Self {
        Notify { caller, outgoing: Outgoing::open(head, |out| encode(arguments, names, by_name, out)) }
    }

    /// As [`Call::written_flat`].
    #[doc(hidden)]
    #[inline]
    pub fn written_flat<P: Serialize + ?Sized>(caller: &'c C, head: &'static str, params: &P) -> Self {
        Notify { caller, outgoing: Outgoing::open(head, |out| encode_flat(params, out)) }
    }
}

impl<C: Caller> IntoFuture for Notify<'_, C> {
    type Output = Result<(), CallError>;
    type IntoFuture = NotifyFuture<C::Sent>;

    fn into_future(self) -> Self::IntoFuture {
        NotifyFuture(State::of(self.outgoing, |outgoing| self.caller.notify(outgoing)))
    }
}

impl<C> fmt::Debug for Notify<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notify").field("outgoing", &self.outgoing).finish_non_exhaustive()
    }
}

/// A notification on its way: resolves when it has been handed over. It borrows nothing.
#[must_use = "a future does nothing unless it is polled"]
pub struct NotifyFuture<F>(State<F>);

impl<F: Future<Output = Result<(), CallError>> + Unpin> Future for NotifyFuture<F> {
    type Output = Result<(), CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl<F> fmt::Debug for NotifyFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotifyFuture").finish_non_exhaustive()
    }
}

/// Sent, or never to be.
enum State<F> {
    Sent(F),
    Unwritten(Option<serde_json::Error>),
}

impl<F> State<F> {
    fn of(outgoing: serde_json::Result<Outgoing>, send: impl FnOnce(Outgoing) -> F) -> Self {
        match outgoing {
            Ok(outgoing) => State::Sent(send(outgoing)),
            Err(error) => State::Unwritten(Some(error)),
        }
    }

    fn poll<T>(&mut self, context: &mut Context<'_>) -> Poll<Result<T, CallError>>
    where
        F: Future<Output = Result<T, CallError>> + Unpin,
    {
        match self {
            State::Sent(future) => Pin::new(future).poll(context),
            State::Unwritten(error) => match error.take() {
                Some(error) => Poll::Ready(Err(CallError::Encode(error))),
                // Polled again after its end, which no executor does.
                None => Poll::Pending,
            },
        }
    }
}
