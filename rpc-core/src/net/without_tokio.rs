//! Stands in for what the feature `tokio` brings, to say so.

use super::connected::Connected;
use crate::connection::{Builder, Peer};
use crate::server::{Server, Service};
use std::io;

/// What nothing is.
#[diagnostic::on_unimplemented(
    message = "`connect` and `listen` require the feature `tokio` of rpc-core",
    label = "this function requires a tokio runtime",
    note = "write `rpc-core = {{ …, features = [\"tokio\"] }}` in Cargo.toml; `connect_blocking` requires no feature"
)]
pub trait Reachable {}

/// Stands in for the function that needs the feature.
///
/// # Errors
///
/// Always, if it could be called.
#[allow(clippy::unused_async, reason = "as the function that it stands in for")]
pub async fn connect<A: Reachable>(_: A) -> io::Result<Connected> {
    Err(io::ErrorKind::Unsupported.into())
}

impl<S: Service> Builder<S> {
    /// Stands in for the function that needs the feature.
    ///
    /// # Errors
    ///
    /// Always, if it could be called.
    #[doc(hidden)]
    #[allow(clippy::unused_async, reason = "as the function that it stands in for")]
    pub async fn connect<A: Reachable>(self, _: A) -> io::Result<Peer> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl<S: Service> Server<S> {
    /// Stands in for the function that needs the feature.
    ///
    /// # Errors
    ///
    /// Always, if it could be called.
    #[doc(hidden)]
    #[allow(clippy::unused_async, reason = "as the function that it stands in for")]
    pub async fn listen<A: Reachable>(self, _: A) -> io::Result<std::convert::Infallible> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
