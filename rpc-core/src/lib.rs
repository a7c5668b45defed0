//! JSON-RPC 2.0 from one annotated trait.
//!
//! `#[rpc]` on a trait is the whole contract. It generates a typed client, whose methods are called like
//! local functions, and a service that decodes parameters by name or by position.
//!
//! ```
//! use rpc_core::{ClientError, Server, block_on, rpc};
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
//! # fn main() -> Result<(), ClientError> {
//! let server = Server::new(CalcService::new(MyCalc));
//!
//! // Text in, text out.
//! let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"calc.subtract","params":[42,23],"id":1}"#);
//! assert_eq!(response.as_deref(), Some(r#"{"jsonrpc":"2.0","result":19,"id":1}"#));
//!
//! // Or through the client, which sends params by name.
//! let calc = CalcClient::new(server.caller());
//! assert_eq!(block_on(calc.subtract(42, 23))?, 19);
//! # Ok(())
//! # }
//! ```
//!
//! | module or item | content |
//! |---|---|
//! | [`rpc`] | the attribute and its options |
//! | [`Server`], [`server`] | serving: services, routers, middleware, limits of messages |
//! | [`client`] | calls as values, batches, callers, timeouts and retries, the client without I/O |
//! | [`connection`] | live connections, which serve and call at once: order, concurrency, limits, shutdown |
//! | [`net`] | clients that connect and servers that listen, by address |
//! | [`transport`] | the transports of connections: sockets, pipes, child processes, and their framing |
//! | [`error`] | the errors of methods, and the failures of calls |
//! | [`profile`] | the rules of LSP, MCP and Ethereum where they differ |
//! | [`observe`] | events for logs and metrics |
//! | [`mock`] | a caller for tests |
//! | [`time`] | timers |
//! | [`wire`] | the objects of the specification, for programs that read messages themselves |
#![forbid(unsafe_code)]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod block_on;
mod blocking;
pub mod client;
pub mod connection;
mod connection_id;
mod depth;
pub mod error;
mod extensions;
mod framing;
mod in_process;
mod limits;
pub mod mock;
pub mod net;
pub mod observe;
mod params;
mod peer;
mod pending;
pub mod profile;
mod serve;
pub mod server;
pub mod time;
pub mod transport;
pub mod wire;

pub use block_on::block_on;
pub use error::{CallError, ClientError, Internal, RpcError};
#[cfg(feature = "macros")]
pub use rpc_macros::{RpcError, rpc};
pub use server::{Context, Server};
pub use wire::ErrorObject;
