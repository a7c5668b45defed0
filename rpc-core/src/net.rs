//! From addresses to connections: who connects, and who listens.
//!
//! An address is text, such as `tcp://127.0.0.1:4000` or `unix+lsp:///run/editor.sock`; all forms are at
//! [`Address`](crate::transport::Address).
//!
//! | wanted | for async programs (feature `tokio`) | without a runtime |
//! |---|---|---|
//! | a client of a trait | `CalcClient::connect(address).await` | `CalcClient::connect_blocking(address)` |
//! | a caller for several clients | `net::connect(address).await` | [`connect_blocking`] |
//! | a side that serves, too | `Connection::builder(server).connect(address).await` | [`Builder::connect_blocking`](crate::connection::Builder::connect_blocking) |
//! | a server for whoever comes | `server.listen(address).await` | |
//!
//! A transport that no address names, or a framing of one's own, goes to
//! [`Builder::over`](crate::connection::Builder::over).

#[cfg(feature = "tokio")]
mod acceptor;
mod blocking;
#[cfg(feature = "tokio")]
mod connect;
mod connected;
#[cfg(feature = "tokio")]
mod listener;
#[cfg(feature = "tokio")]
mod remote_addr;
#[cfg(feature = "tokio")]
mod shutdown_handle;
#[cfg(all(feature = "tokio", unix))]
mod socket_file;
mod to_address;
#[cfg(not(feature = "tokio"))]
mod without_tokio;

pub use blocking::connect_blocking;
#[cfg(feature = "tokio")]
pub use connect::connect;
pub use connected::Connected;
#[cfg(feature = "tokio")]
pub use listener::{Listener, ListenerBuilder};
#[cfg(feature = "tokio")]
pub use remote_addr::RemoteAddr;
#[cfg(feature = "tokio")]
pub use shutdown_handle::ShutdownHandle;
pub use to_address::ToAddress;
#[cfg(feature = "tokio")]
#[doc(hidden)]
pub use to_address::ToAddress as Reachable;
#[cfg(not(feature = "tokio"))]
#[doc(hidden)]
pub use without_tokio::{Reachable, connect};
