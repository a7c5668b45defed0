//! What the engine needs of a service: find a method, decode its parameters, run it.

use super::batch_info::BatchInfo;
use super::info::{MethodInfo, MethodNames};
use super::layered::Layered;
use super::responder::{Responded, Responder};
use crate::params::BadParams;
use crate::wire::ErrorObject;

/// An implementation made callable. `#[rpc]` generates one for each trait; tuples of services and
/// [`Router`](super::Router) are services, too.
///
/// ```
/// use rpc_core::{Server, block_on, rpc};
/// use rpc_core::server::Service;
///
/// #[rpc(namespace = "a")]
/// trait A { async fn one(&self) -> u8; }
/// #[rpc(namespace = "b")]
/// trait B { async fn two(&self) -> u8; }
///
/// struct Both;
/// impl A for Both { async fn one(&self) -> u8 { 1 } }
/// impl B for Both { async fn two(&self) -> u8 { 2 } }
///
/// let server = Server::new((AService::new(Both), BService::new(Both)));
/// let response = block_on(server.handle(r#"{"jsonrpc":"2.0","method":"b.two","id":1}"#));
/// assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":2,"id":1}"#));
/// ```
///
/// A wire name that two services of a tuple share does not compile (a router's names are known when it
/// runs only, so of its and another's the first of the tuple is asked). `cargo check` does not see it, `cargo build` does:
///
/// ```compile_fail,E0080
/// # use rpc_core::{Server, rpc};
/// # #[rpc]
/// # trait A { async fn one(&self) -> u8; }
/// # struct Both;
/// # impl A for Both { async fn one(&self) -> u8 { 1 } }
/// Server::new((AService::new(Both), AService::new(Both)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a service",
    note = "for an `#[rpc]` trait `Calc`, pass `CalcService::new(value)`, where `value` is `Calc + Send + Sync + 'static`"
)]
pub trait Service: Send + Sync + 'static {
    /// Which method: a generated enum.
    type Method: Copy + Send + Sync;
    /// A method with its decoded arguments, which may borrow from the message: a generated enum.
    type Call<'de>: Send;
    /// The wire names.
    const NAMES: MethodNames;

    /// Shows every method to `each`.
    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo));

    /// The method of a wire name.
    fn find(&self, name: &str) -> Option<Self::Method>;

    /// Returns the method that handles calls of names that no service finds, such as the fallback of a
    /// [`Router`](super::Router). By default there is none, and such calls get -32601 "Method not found".
    #[inline]
    fn fallback(&self) -> Option<Self::Method> {
        None
    }

    /// What is known about a method.
    fn info(&self, method: Self::Method) -> &MethodInfo;

    /// Decodes the params where `params` starts (the text may go on after them) into `call`; `null`
    /// stands for absent ones. Says how many bytes they were.
    ///
    /// # Errors
    ///
    /// [`BadParams`] when they do not fit the method.
    fn decode<'de>(
        &'de self,
        method: Self::Method,
        params: &'de str,
        call: &mut Option<Self::Call<'de>>,
    ) -> Result<usize, BadParams>;

    /// Runs a call to its answer.
    fn run<'a>(&'a self, call: Self::Call<'a>, responder: Responder<'a>)
    -> impl Future<Output = Responded> + Send + 'a;

    /// Wraps the service in a middleware. Layers read from the inside out, as in tower: the last one is the outermost.
    ///
    /// ```
    /// use rpc_core::server::{Middleware, Next, Responded, Service};
    /// use rpc_core::{Server, rpc};
    ///
    /// struct Named(&'static str);
    /// impl Middleware for Named {
    ///     async fn call<'a, S: Service>(&'a self, next: Next<'a, S>) -> Responded {
    ///         println!("{}: {}", self.0, next.context().method());
    ///         next.run().await
    ///     }
    /// }
    ///
    /// #[rpc]
    /// trait Calc { async fn add(&self, a: i64, b: i64) -> i64; }
    /// # struct MyCalc;
    /// # impl Calc for MyCalc { async fn add(&self, a: i64, b: i64) -> i64 { a + b } }
    /// let service = CalcService::new(MyCalc).layer(Named("inner")).layer(Named("outer"));
    /// let server = Server::new(service);
    /// # let _ = server;
    /// ```
    fn layer<M>(self, middleware: M) -> Layered<M, Self>
    where
        Self: Sized,
        Layered<M, Self>: Service,
    {
        Layered { middleware, service: self }
    }

    /// Looks at a batch as a whole, before anything of it runs. A service of other services asks each of them; by
    /// default every batch may run.
    ///
    /// # Errors
    ///
    /// What the batch is refused with.
    #[inline]
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        let _ = batch;
        Ok(())
    }
}
