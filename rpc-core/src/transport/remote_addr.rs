//! Where a connection came from.

use std::net::SocketAddr;

/// Where a connection came from that a [`Listener`](super::Listener) took: methods and middleware have it as an
/// [extension](crate::Context::extension) of the connection.
///
/// ```
/// use rpc_core::net::RemoteAddr;
/// use rpc_core::{Context, rpc};
///
/// #[rpc(server)]
/// trait Who {
///     async fn am_i(&self, #[rpc(context)] context: &Context<'_>) -> String;
/// }
/// struct Mine;
/// impl Who for Mine {
///     async fn am_i(&self, context: &Context<'_>) -> String {
///         match context.extension::<RemoteAddr>() {
///             Some(RemoteAddr::Tcp(address)) => format!("you are at {address}"),
///             Some(RemoteAddr::Unix { user: Some(user), .. }) => format!("you are user {user}"),
///             _ => "nobody knows".to_owned(),
///         }
///     }
/// }
/// # let _ = WhoService::new(Mine);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemoteAddr {
    /// Who started this process.
    Stdio,
    /// A TCP socket, at this address.
    Tcp(SocketAddr),
    /// A Unix socket, of a process that ran as this user and group when it connected, as far as the system tells.
    Unix {
        /// The user's number.
        user: Option<u32>,
        /// The group's number.
        group: Option<u32>,
        /// The number of the process.
        process: Option<i32>,
    },
}
