//! The list of all endpoints. A new endpoint is a file that implements [`Scheme`], and its line in `endpoints!`.

use super::exec::ExecEndpoint;
#[cfg(feature = "tokio")]
use super::scheme::BindOptions;
use super::scheme::Scheme;
use super::stdio::StdioEndpoint;
use super::tcp::TcpEndpoint;
use super::unix::UnixEndpoint;
use crate::connection::{Builder, Peer};
use crate::framing::AnyFraming;
#[cfg(feature = "tokio")]
use crate::net::accept_loop::BoundAcceptor;
use crate::server::Service;
use std::fmt;
use std::io;
#[cfg(feature = "tokio")]
use tokio::runtime::Handle;

macro_rules! endpoints {
    ($($(#[$doc:meta])* $variant:ident($kind:ty),)+) => {
        /// The endpoint of an [`Address`](crate::net::Address).
        ///
        /// ```
        /// use rpc_core::net::{Address, ExecEndpoint};
        ///
        /// let endpoint = ExecEndpoint { command_line: "my-server --verbose".to_owned() };
        /// assert_eq!(Address::lines(endpoint).to_string(), "exec:my-server --verbose");
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Endpoint {
            $($(#[$doc])* $variant($kind),)+
        }

        $(impl From<$kind> for Endpoint {
            fn from(endpoint: $kind) -> Self {
                Endpoint::$variant(endpoint)
            }
        })+

        /// The schemes, with the legal forms after the colon of each.
        pub(crate) const SCHEMES: &[(&str, &[&str])] = &[$((<$kind>::NAME, <$kind>::FORMS)),+];

        impl Endpoint {
            /// Parses the text after the colon. Returns `None` if the scheme is unknown.
            pub(crate) fn parse(scheme: &str, rest: &str) -> Option<Result<Self, String>> {
                match scheme {
                    $(<$kind>::NAME => Some(<$kind>::parse(rest).map(Endpoint::$variant)),)+
                    _ => None,
                }
            }

            pub(crate) fn scheme(&self) -> &'static str {
                match self {
                    $(Endpoint::$variant(_) => <$kind>::NAME,)+
                }
            }

            pub(crate) fn fmt_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Endpoint::$variant(endpoint) => endpoint.fmt_rest(f),)+
                }
            }

            pub(crate) fn connect_blocking<S: Service>(&self, framing: AnyFraming, builder: Builder<S>) -> io::Result<Peer> {
                match self {
                    $(Endpoint::$variant(endpoint) => endpoint.connect_blocking(framing, builder),)+
                }
            }

            #[cfg(feature = "tokio")]
            pub(crate) async fn connect<S: Service>(
                &self,
                framing: AnyFraming,
                builder: Builder<S>,
                runtime: &Handle,
            ) -> io::Result<Peer> {
                match self {
                    $(Endpoint::$variant(endpoint) => endpoint.connect(framing, builder, runtime).await,)+
                }
            }

            #[cfg(feature = "tokio")]
            pub(crate) async fn bind<S: Service>(
                self,
                framing: AnyFraming,
                options: &BindOptions,
            ) -> io::Result<(Self, BoundAcceptor<S>)> {
                match self {
                    $(Endpoint::$variant(endpoint) => {
                        let (endpoint, acceptor) = endpoint.bind(framing, options).await?;
                        Ok((endpoint.into(), acceptor))
                    })+
                }
            }
        }
    };
}

endpoints! {
    /// Stdin and stdout of this process.
    Stdio(StdioEndpoint),
    /// A TCP socket.
    Tcp(TcpEndpoint),
    /// A Unix socket.
    Unix(UnixEndpoint),
    /// Stdin and stdout of a child process.
    Exec(ExecEndpoint),
}
