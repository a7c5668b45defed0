//! The bound on addresses of functions that need the feature `tokio`. Without the feature, the functions are
//! stubs whose bound explains what is missing.

#[cfg(not(feature = "tokio"))]
pub use stubs::{ToAddress, connect};

#[cfg(feature = "tokio")]
pub use super::to_address::ToAddress;

#[cfg(not(feature = "tokio"))]
mod stubs {
    use crate::connection::{Builder, Peer};
    use crate::server::{Server, Service};
    use std::io;

    /// A bound that no type meets.
    #[diagnostic::on_unimplemented(
        message = "`connect` and `listen` require the feature `tokio` of rpc-core",
        label = "this function requires a tokio runtime",
        note = "write `rpc-core = {{ …, features = [\"tokio\"] }}` in Cargo.toml; `connect_blocking` requires no feature"
    )]
    pub trait ToAddress {}

    /// Stands in for the function that needs the feature.
    ///
    /// # Errors
    ///
    /// None: it cannot be called.
    #[allow(clippy::unused_async, reason = "it has the signature of the function that it stands in for")]
    pub async fn connect<A: ToAddress>(_: A) -> io::Result<Peer> {
        Err(io::ErrorKind::Unsupported.into())
    }

    impl<S: Service> Builder<S> {
        /// Stands in for the function that needs the feature.
        ///
        /// # Errors
        ///
        /// None: it cannot be called.
        #[doc(hidden)]
        #[allow(clippy::unused_async, reason = "it has the signature of the function that it stands in for")]
        pub async fn connect<A: ToAddress>(self, _: A) -> io::Result<Peer> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    impl<S: Service> Server<S> {
        /// Stands in for the function that needs the feature.
        ///
        /// # Errors
        ///
        /// None: it cannot be called.
        #[doc(hidden)]
        #[allow(clippy::unused_async, reason = "it has the signature of the function that it stands in for")]
        pub async fn listen<A: ToAddress>(self, _: A) -> io::Result<std::convert::Infallible> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}
