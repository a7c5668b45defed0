//! `tcp://HOST:PORT`

#[cfg(feature = "tokio")]
use super::scheme::BindOptions;
use super::scheme::Scheme;
use crate::connection::{Builder, Peer};
use crate::framing::AnyFraming;
use crate::limits::CONNECT_TIMEOUT;
#[cfg(feature = "tokio")]
use crate::net::accept_loop::BoundAcceptor;
#[cfg(feature = "tokio")]
use crate::net::spawn::spawn_task;
use crate::net::spawn::{ShutdownSocket, spawn_thread};
use crate::server::Service;
use crate::transport::threads;
#[cfg(feature = "tokio")]
use crate::transport::{TcpAcceptor, tcp};
use std::fmt;
use std::io;
use std::net::{Ipv6Addr, TcpStream, ToSocketAddrs};
#[cfg(feature = "tokio")]
use tokio::runtime::Handle;

/// A TCP socket: `transport::tcp` with tokio, [`transport::threads`](crate::transport::threads) without.
///
/// ```
/// use rpc_core::net::{Address, TcpEndpoint};
///
/// let endpoint = TcpEndpoint { host: "::1".to_owned(), port: 4000 };
/// assert_eq!(Address::lines(endpoint).to_string(), "tcp://[::1]:4000");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TcpEndpoint {
    /// A host name, or an IP address without brackets.
    pub host: String,
    /// The port. A listener at port 0 binds any free port.
    pub port: u16,
}

impl Scheme for TcpEndpoint {
    const NAME: &'static str = "tcp";
    const FORMS: &'static [&'static str] = &["//HOST:PORT"];

    fn parse(rest: &str) -> Result<Self, String> {
        let rest = rest.strip_prefix("//").ok_or("`//` is missing before the host")?;
        let (host, port) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']').ok_or("the bracket around the host is not closed")?;
                // A zone may follow the address: `fe80::1%eth0` (RFC 4007 §11).
                let address = host.split_once('%').map_or(host, |(address, _)| address);
                if address.parse::<Ipv6Addr>().is_err() {
                    return Err(format!("`{host}` is not an IPv6 address"));
                }
                (host, port.strip_prefix(':'))
            }
            None => match rest.rsplit_once(':') {
                Some((host, _)) if host.contains(':') => return Err("an IPv6 host must be in brackets".to_owned()),
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            },
        };
        if host.is_empty() {
            return Err("the host is missing".to_owned());
        }
        if let Some(illegal) = host.chars().find(|c| c.is_whitespace() || c.is_control() || "/@?#[]".contains(*c)) {
            return Err(format!("a host cannot contain {illegal:?}"));
        }
        let port = port.filter(|port| !port.is_empty()).ok_or("the port is missing")?;
        match port.parse() {
            Ok(number) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok(TcpEndpoint { host: host.to_owned(), port: number })
            }
            _ => Err(format!("`{port}` is not a port number from 0 to 65535")),
        }
    }

    fn fmt_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TcpEndpoint { host, port } = self;
        if host.contains(':') { write!(f, "//[{host}]:{port}") } else { write!(f, "//{host}:{port}") }
    }

    fn connect_blocking<S: Service>(&self, framing: AnyFraming, builder: Builder<S>) -> io::Result<Peer> {
        let socket = connect_socket(&self.host, self.port)?;
        socket.set_nodelay(true)?;
        let transport = threads(socket.try_clone()?, socket.try_clone()?, framing);
        spawn_thread(builder.over(transport), ShutdownSocket(socket))
    }

    #[cfg(feature = "tokio")]
    async fn connect<S: Service>(
        &self,
        framing: AnyFraming,
        builder: Builder<S>,
        runtime: &Handle,
    ) -> io::Result<Peer> {
        let socket = tokio::net::TcpStream::connect((&*self.host, self.port)).await?;
        Ok(spawn_task(runtime, builder.over(tcp(socket, framing))))
    }

    #[cfg(feature = "tokio")]
    async fn bind<S: Service>(mut self, framing: AnyFraming, _: &BindOptions) -> io::Result<(Self, BoundAcceptor<S>)> {
        let socket = tokio::net::TcpListener::bind((&*self.host, self.port)).await?;
        self.port = socket.local_addr()?.port();
        Ok((self, BoundAcceptor::new(TcpAcceptor::new(socket, framing))))
    }
}

/// Connects to the first address of a host that accepts.
fn connect_socket(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last_error = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(socket) => return Ok(socket),
            Err(error) => last_error = error,
        }
    }
    Err(last_error)
}
