//! The trait of the endpoints of one scheme.

use crate::connection::{Builder, Peer};
use crate::framing::AnyFraming;
#[cfg(feature = "tokio")]
use crate::net::accept_loop::BoundAcceptor;
use crate::server::Service;
use std::fmt;
use std::io;
#[cfg(feature = "tokio")]
use tokio::runtime::Handle;

/// Everything about the endpoints of one scheme.
pub(super) trait Scheme: Sized + Send + Sync {
    /// The scheme, in lower case.
    const NAME: &'static str;
    /// The legal forms of an address, after the colon.
    const FORMS: &'static [&'static str];

    /// Parses the text after the colon.
    ///
    /// # Errors
    ///
    /// The fault of the text.
    fn parse(rest: &str) -> Result<Self, String>;

    /// Writes the text after the colon.
    fn fmt_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Connects, and runs the connection on threads of its own.
    fn connect_blocking<S: Service>(&self, framing: AnyFraming, builder: Builder<S>) -> io::Result<Peer>;

    /// Connects, and runs the connection as a task of the runtime.
    #[cfg(feature = "tokio")]
    fn connect<S: Service>(
        &self,
        framing: AnyFraming,
        builder: Builder<S>,
        runtime: &Handle,
    ) -> impl Future<Output = io::Result<Peer>> + Send;

    /// Binds an acceptor, and returns the endpoint that it is bound to.
    #[cfg(feature = "tokio")]
    fn bind<S: Service>(
        self,
        framing: AnyFraming,
        options: &BindOptions,
    ) -> impl Future<Output = io::Result<(Self, BoundAcceptor<S>)>> + Send;
}

/// The options of a listener for its endpoint.
#[cfg(feature = "tokio")]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BindOptions {
    /// The mode of the file of a Unix socket.
    pub(crate) unix_mode: Option<u32>,
}
