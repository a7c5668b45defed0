//! Stands in for what the feature `tokio` brings, to say so.

use super::connected::Connected;
use std::io;

/// What nothing is.
#[diagnostic::on_unimplemented(
    message = "`connect` needs the feature `tokio` of rpc-core",
    label = "this connects within a tokio runtime",
    note = "write `rpc-core = {{ …, features = [\"tokio\"] }}` in Cargo.toml; `connect_blocking` needs no feature"
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
