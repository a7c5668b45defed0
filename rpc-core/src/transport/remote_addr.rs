//! The address of a peer that a listener accepted.

use std::net::SocketAddr;

/// The address of a peer that a [`Listener`](crate::net::Listener) accepted. Handlers, middleware and
/// [`on_open`](crate::net::ListenerBuilder::on_open) find it as an extension of the connection:
/// [`Context::extension`](crate::Context::extension), [`Peer::extension`](crate::connection::Peer::extension).
///
/// ```
/// use rpc_core::net::RemoteAddr;
/// use rpc_core::{Context, rpc};
///
/// #[rpc(server)]
/// trait Whoami {
///     async fn whoami(&self, #[rpc(context)] context: &Context<'_>) -> String;
/// }
/// struct MyWhoami;
/// impl Whoami for MyWhoami {
///     async fn whoami(&self, context: &Context<'_>) -> String {
///         match context.extension::<RemoteAddr>() {
///             Some(RemoteAddr::Tcp(address)) => format!("connected from {address}"),
///             Some(RemoteAddr::Unix { user: Some(user), .. }) => format!("user {user}"),
///             _ => "unknown".to_owned(),
///         }
///     }
/// }
/// # let _ = WhoamiService::new(MyWhoami);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemoteAddr {
    /// The parent process, over stdin and stdout.
    Stdio,
    /// The address of a TCP socket.
    Tcp(SocketAddr),
    /// The credentials of the process that connected to a Unix socket, as far as the system reports them.
    Unix {
        /// The user id.
        user: Option<u32>,
        /// The group id.
        group: Option<u32>,
        /// The process id.
        process: Option<i32>,
    },
    /// An address of another transport, as its [`Acceptor`](crate::transport::Acceptor) displays it.
    Other(String),
}
