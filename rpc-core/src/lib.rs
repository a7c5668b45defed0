//! JSON-RPC 2.0 from one annotated trait.
//!
//! `#[rpc]` on a trait is the whole contract: from it come a typed client whose methods are called
//! like local functions, and a service that decodes parameters by name or by position.
//!
//! ```
//! use rpc_core::{CallError, Server, block_on, rpc};
//!
//! #[rpc(namespace = "calc")]
//! trait Calc {
//!     /// Difference of two integers.
//!     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
//! }
//!
//! struct MyCalc;
//! impl Calc for MyCalc {
//!     async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
//!         minuend - subtrahend
//!     }
//! }
//!
//! # fn main() -> Result<(), CallError> {
//! let server = Server::new(CalcService::new(MyCalc));
//!
//! // Text in, text out.
//! let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"calc.subtract","params":[42,23],"id":1}"#);
//! assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":19,"id":1}"#));
//!
//! // Or through the client, which sends by name.
//! let calc = CalcClient::new(server.caller());
//! assert_eq!(block_on(calc.subtract(42, 23))?, 19);
//! # Ok(())
//! # }
//! ```
//!
//! - [`rpc`] says what the attribute may say.
//! - [`Server`] answers messages; its table lists the limits and their defaults.
//! - [`server`] has what a service is made of, tuples and the run-time router.
//! - [`client`] has calls as values, typed batches, timeouts and retries, the [`Caller`] that carries
//!   calls, and pairing without I/O.
//! - [`connection`] has live connections, with their rules of order and concurrency; [`transport`] what they run over.
//! - [`net`] has clients that connect and servers that listen, by address.
//! - [`mock`] has a caller for tests, which answers from closures or from recorded exchanges.
//! - [`wire`] has the specification's objects, for those who read messages themselves.
#![forbid(unsafe_code)]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod block_on;
mod blocking;
pub mod client;
pub mod connection;
mod error;
mod framing;
mod in_process;
mod limits;
pub mod mock;
pub mod net;
pub mod observe;
mod params;
mod peer;
mod pending;
mod profile;
mod serve;
pub mod server;
mod time;
pub mod transport;
pub mod wire;

pub use block_on::block_on;
pub use client::{Call, Caller};
pub use error::{CallError, Internal, RpcError};
#[cfg(feature = "macros")]
pub use rpc_macros::{RpcError, rpc};
pub use server::{Context, Server, Service};
pub use wire::{ErrorObject, Id};
