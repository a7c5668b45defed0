//! The service trait: finds a method, decodes its params and runs it.

use super::batch_info::BatchInfo;
use super::info::{MethodInfo, MethodNames};
use super::layered::Layered;
use super::responder::{Responded, Responder};
use crate::params::BadParams;
use crate::wire::ErrorObject;

/// A set of methods that a [`Server`](crate::Server) serves.
///
/// `#[rpc]` generates an implementation for each trait: `CalcService<T>` makes a value of a type `T: Calc`
/// callable. Tuples of services and [`Router`](super::Router)s are services too:
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
/// If two services of a tuple share a wire name, `cargo build` fails (`cargo check` does not). The names of
/// a router are known at run time only: for them, the first service of the tuple that has the name is used.
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
    /// Identifies a method. In generated services, an enum.
    type Method: Copy + Send + Sync;
    /// A method with its arguments, which may borrow from the message. In generated services, an enum.
    type Call<'de>: Send;
    /// The wire names that are known at compile time.
    const NAMES: MethodNames;

    /// Calls `each` with a description of each method.
    fn for_each_method(&self, each: &mut dyn FnMut(&MethodInfo));

    /// Returns the method of a wire name or alias.
    fn find(&self, name: &str) -> Option<Self::Method>;

    /// Returns the method that handles calls of names that no service finds, such as the fallback of a
    /// [`Router`](super::Router). By default such calls get -32601 "Method not found".
    #[inline]
    fn fallback(&self) -> Option<Self::Method> {
        None
    }

    /// Returns the description of a method.
    fn info(&self, method: Self::Method) -> &MethodInfo;

    /// Decodes the params at the start of `params` into `call`, and returns their length in bytes. The text
    /// may go on after them. It is `null` if the message has no params.
    ///
    /// # Errors
    ///
    /// Fails if the params do not fit the method. The call gets -32602 "Invalid params".
    fn decode<'de>(
        &'de self,
        method: Self::Method,
        params: &'de str,
        call: &mut Option<Self::Call<'de>>,
    ) -> Result<usize, BadParams>;

    /// Runs a call and writes its response.
    fn run<'a>(&'a self, call: Self::Call<'a>, responder: Responder<'a>)
    -> impl Future<Output = Responded> + Send + 'a;

    /// Wraps the service in a [`Middleware`](super::Middleware). The last layer is the outermost: it sees a
    /// call first.
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

    /// Accepts or rejects a batch (§6) before any member runs. By default it accepts every batch. A tuple or
    /// router accepts a batch if all its services do.
    ///
    /// # Errors
    ///
    /// Returns the error that the batch is rejected with: one response, with the id null.
    #[inline]
    fn batch(&self, batch: &BatchInfo<'_>) -> Result<(), ErrorObject> {
        let _ = batch;
        Ok(())
    }
}
