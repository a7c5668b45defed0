//! Clients that connect and servers that listen, by address.
//!
//! An address is text, such as `tcp://127.0.0.1:4000` or `unix+lsp:///run/editor.sock`; [`Address`] lists all forms.
//!
//! | | with tokio (feature `tokio`) | without a runtime |
//! |---|---|---|
//! | a client of a trait | `CalcClient::connect(address).await` | `CalcClient::connect_blocking(address)` |
//! | a peer, for several clients | `net::connect(address).await` | [`connect_blocking`] |
//! | a client with settings | `Connection::client().….connect(address).await` | [`Builder::connect_blocking`](crate::connection::Builder::connect_blocking) |
//! | a client that also serves its peer | `Connection::builder(server).connect(address).await` | [`Builder::connect_blocking`](crate::connection::Builder::connect_blocking) |
//! | a server for many clients | `server.listen(address).await` | |
//!
//! A connection over another transport or framing is made with [`Builder::over`](crate::connection::Builder::over), and
//! a listener with `ListenerBuilder::over`.

#[cfg(feature = "tokio")]
mod accept_loop;
mod address;
mod blocking;
#[cfg(feature = "tokio")]
mod connect;
mod endpoint;
#[cfg(feature = "tokio")]
mod listener;
pub(crate) mod needs_tokio;
#[cfg(feature = "tokio")]
mod shutdown_handle;
mod spawn;
mod to_address;

pub use crate::transport::RemoteAddr;
pub use address::{Address, AddressError};
pub use blocking::connect_blocking;
#[cfg(feature = "tokio")]
pub use connect::connect;
pub use endpoint::{Endpoint, ExecEndpoint, StdioEndpoint, TcpEndpoint, UnixEndpoint};
#[cfg(feature = "tokio")]
pub use listener::{Listener, ListenerBuilder};
#[cfg(not(feature = "tokio"))]
#[doc(hidden)]
pub use needs_tokio::connect;
#[cfg(feature = "tokio")]
pub use shutdown_handle::ShutdownHandle;
pub use to_address::ToAddress;
