//! `unix:PATH`

#[cfg(feature = "tokio")]
use super::scheme::BindOptions;
use super::scheme::Scheme;
use crate::connection::{Builder, Peer};
use crate::framing::AnyFraming;
#[cfg(feature = "tokio")]
use crate::net::accept_loop::BoundAcceptor;
use crate::server::Service;
use std::fmt;
use std::io;
use std::path::PathBuf;
#[cfg(feature = "tokio")]
use tokio::runtime::Handle;

/// A Unix socket: `transport::unix` with tokio, [`transport::threads`](crate::transport::threads) without.
///
/// On other systems, connecting and listening fail with `Unsupported`.
///
/// ```
/// use rpc_core::net::{Address, UnixEndpoint};
///
/// let endpoint = UnixEndpoint { path: "/run/my.sock".into() };
/// assert_eq!(Address::lines(endpoint).to_string(), "unix:///run/my.sock");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnixEndpoint {
    /// The path of the socket's file.
    pub path: PathBuf,
}

impl Scheme for UnixEndpoint {
    const NAME: &'static str = "unix";
    const FORMS: &'static [&'static str] = &["///PATH", "PATH"];

    fn parse(rest: &str) -> Result<Self, String> {
        let path = match rest.strip_prefix("//") {
            Some(path) if !path.starts_with('/') => return Err("a path after `unix://` must be absolute".to_owned()),
            Some(path) => path,
            None => rest,
        };
        match path {
            "" => Err("the path is missing".to_owned()),
            path if path.contains('\0') => Err("a path cannot contain a zero byte".to_owned()),
            path => Ok(UnixEndpoint { path: path.into() }),
        }
    }

    fn fmt_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slashes = if self.path.has_root() { "//" } else { "" };
        write!(f, "{slashes}{}", self.path.display())
    }

    #[cfg(unix)]
    fn connect_blocking<S: Service>(&self, framing: AnyFraming, builder: Builder<S>) -> io::Result<Peer> {
        use crate::net::spawn::{ShutdownSocket, spawn_thread};

        let socket = std::os::unix::net::UnixStream::connect(&self.path)?;
        let transport = crate::transport::threads(socket.try_clone()?, socket.try_clone()?, framing);
        spawn_thread(builder.over(transport), ShutdownSocket(socket))
    }

    #[cfg(not(unix))]
    fn connect_blocking<S: Service>(&self, _: AnyFraming, _: Builder<S>) -> io::Result<Peer> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[cfg(all(feature = "tokio", unix))]
    async fn connect<S: Service>(
        &self,
        framing: AnyFraming,
        builder: Builder<S>,
        runtime: &Handle,
    ) -> io::Result<Peer> {
        let socket = tokio::net::UnixStream::connect(&self.path).await?;
        Ok(crate::net::spawn::spawn_task(runtime, builder.over(crate::transport::unix(socket, framing))))
    }

    #[cfg(all(feature = "tokio", not(unix)))]
    async fn connect<S: Service>(&self, _: AnyFraming, _: Builder<S>, _: &Handle) -> io::Result<Peer> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[cfg(all(feature = "tokio", unix))]
    async fn bind<S: Service>(
        self,
        framing: AnyFraming,
        options: &BindOptions,
    ) -> io::Result<(Self, BoundAcceptor<S>)> {
        let acceptor = crate::transport::UnixAcceptor::bind(&self.path, options.unix_mode, framing).await?;
        Ok((self, BoundAcceptor::new(acceptor)))
    }

    #[cfg(all(feature = "tokio", not(unix)))]
    async fn bind<S: Service>(self, _: AnyFraming, _: &BindOptions) -> io::Result<(Self, BoundAcceptor<S>)> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
