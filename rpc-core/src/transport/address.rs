//! Addresses: text that names an endpoint and a framing.

use crate::framing::{AnyFraming, Headers, Lines};
use std::error::Error;
use std::fmt;
use std::io;
use std::net::Ipv6Addr;
use std::path::PathBuf;
use std::str::FromStr;

/// An endpoint and its framing, in text form for configuration files and command lines.
///
/// | form | endpoint |
/// |---|---|
/// | `stdio:` | stdin and stdout of this process |
/// | `tcp://HOST:PORT` | a TCP socket; an IPv6 host is in brackets |
/// | `unix:///PATH`, `unix:PATH` | a Unix socket, path absolute or relative to the current directory |
/// | `exec:COMMAND LINE` | stdin and stdout of a child process, started by the system's shell |
///
/// These forms use [`Lines`], one message per line. With `+lsp` after the scheme (`tcp+lsp://HOST:PORT`),
/// they use [`Headers`], a header before each message. The scheme is case-insensitive, and nothing is
/// escaped. [`Display`](fmt::Display) writes text that [`FromStr`] parses to the same address.
///
/// ```
/// use rpc_core::transport::{Address, AnyFraming, Endpoint};
///
/// let address: Address = "tcp+lsp://[::1]:4000".parse()?;
/// assert_eq!(*address.endpoint(), Endpoint::Tcp { host: "::1".to_owned(), port: 4000 });
/// assert!(matches!(address.framing(), AnyFraming::Headers(_)));
/// assert_eq!(address.to_string(), "tcp+lsp://[::1]:4000");
/// # Ok::<(), rpc_core::transport::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    endpoint: Endpoint,
    has_headers: bool,
}

/// The endpoint of an [`Address`].
///
/// ```
/// use rpc_core::transport::{Address, Endpoint};
///
/// let endpoint = Endpoint::Exec("my-server --verbose".to_owned());
/// assert_eq!(Address::lines(endpoint).to_string(), "exec:my-server --verbose");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Endpoint {
    /// Stdin and stdout of this process: [`stdio`](crate::transport::stdio).
    Stdio,
    /// A TCP socket: `tcp`.
    Tcp {
        /// A host name, or an IP address without brackets.
        host: String,
        /// The port. A listener at port 0 binds any free port.
        port: u16,
    },
    /// A Unix socket: `unix`.
    Unix(PathBuf),
    /// A child process that runs a command line: [`child`](super::child) of [`shell`](super::shell).
    Exec(String),
}

impl Address {
    /// Creates an address whose messages are framed as [`Lines`].
    #[must_use]
    pub fn lines(endpoint: Endpoint) -> Self {
        Address { endpoint, has_headers: false }
    }

    /// Creates an address whose messages are framed with [`Headers`].
    #[must_use]
    pub fn headers(endpoint: Endpoint) -> Self {
        Address { endpoint, has_headers: true }
    }

    /// Returns the endpoint.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn set_endpoint(&mut self, endpoint: Endpoint) {
        self.endpoint = endpoint;
    }

    /// Returns a framing for one new connection.
    #[must_use]
    pub fn framing(&self) -> AnyFraming {
        if self.has_headers { Headers::new().into() } else { Lines::new().into() }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lsp = if self.has_headers { "+lsp" } else { "" };
        match &self.endpoint {
            Endpoint::Stdio => write!(f, "stdio{lsp}:"),
            Endpoint::Tcp { host, port } if host.contains(':') => write!(f, "tcp{lsp}://[{host}]:{port}"),
            Endpoint::Tcp { host, port } => write!(f, "tcp{lsp}://{host}:{port}"),
            Endpoint::Unix(path) if path.has_root() => write!(f, "unix{lsp}://{}", path.display()),
            Endpoint::Unix(path) => write!(f, "unix{lsp}:{}", path.display()),
            Endpoint::Exec(line) => write!(f, "exec{lsp}:{line}"),
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        parse(text).map_err(|fault| AddressError { text: text.to_owned(), fault })
    }
}

fn parse(text: &str) -> Result<Address, String> {
    let (scheme, rest) = text.split_once(':').ok_or("the colon is missing")?;
    let scheme = scheme.to_ascii_lowercase();
    let (kind, has_headers) = match scheme.strip_suffix("+lsp") {
        Some(kind) => (kind, true),
        None => (&scheme[..], false),
    };
    let endpoint = match kind {
        "stdio" if rest.is_empty() => Endpoint::Stdio,
        "stdio" => return Err("unexpected text after `stdio:`".to_owned()),
        "tcp" => tcp(rest)?,
        "unix" => unix(rest)?,
        "exec" if rest.trim().is_empty() => return Err("the command line is missing".to_owned()),
        "exec" => Endpoint::Exec(rest.to_owned()),
        _ => return Err(format!("unknown scheme `{scheme}`")),
    };
    Ok(Address { endpoint, has_headers })
}

fn tcp(rest: &str) -> Result<Endpoint, String> {
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
            Ok(Endpoint::Tcp { host: host.to_owned(), port: number })
        }
        _ => Err(format!("`{port}` is not a port number from 0 to 65535")),
    }
}

fn unix(rest: &str) -> Result<Endpoint, String> {
    let path = match rest.strip_prefix("//") {
        Some(path) if !path.starts_with('/') => return Err("a path after `unix://` must be absolute".to_owned()),
        Some(path) => path,
        None => rest,
    };
    match path {
        "" => Err("the path is missing".to_owned()),
        path if path.contains('\0') => Err("a path cannot contain a zero byte".to_owned()),
        path => Ok(Endpoint::Unix(path.into())),
    }
}

/// The error of parsing an [`Address`]. Its message names the text, the fault and all legal forms.
///
/// ```
/// use rpc_core::transport::Address;
///
/// let error = "tcp://localhost".parse::<Address>().unwrap_err();
/// assert!(error.to_string().starts_with("`tcp://localhost` is not a valid address: the port is missing; "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    text: String,
    fault: String,
}

const FORMS: &str = "stdio:, tcp://HOST:PORT, unix:///PATH, unix:PATH, exec:COMMAND LINE, \
                     or, with headers, stdio+lsp:, tcp+lsp://HOST:PORT, unix+lsp:///PATH, unix+lsp:PATH, \
                     exec+lsp:COMMAND LINE";

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a valid address: {}; expected {FORMS}", self.text, self.fault)
    }
}

impl Error for AddressError {}

impl From<AddressError> for io::Error {
    fn from(error: AddressError) -> Self {
        io::Error::new(io::ErrorKind::InvalidInput, error)
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, Endpoint};

    #[track_caller]
    fn check(text: &str, endpoint: &Endpoint, displayed: &str) {
        for (lsp, has_headers) in [("", false), ("+lsp", true)] {
            let with = |text: &str| text.replacen(':', &format!("{lsp}:"), 1);
            let address: Address = with(text).parse().expect(text);
            assert_eq!((&address.endpoint, address.has_headers), (endpoint, has_headers));
            assert_eq!(address.to_string(), with(displayed));
            assert_eq!(address.to_string().parse(), Ok(address));
        }
    }

    #[test]
    fn a_displayed_address_parses_to_the_same_address() {
        let tcp = |host: &str, port| Endpoint::Tcp { host: host.to_owned(), port };
        check("stdio:", &Endpoint::Stdio, "stdio:");
        check("STDIO:", &Endpoint::Stdio, "stdio:");
        check("tcp://localhost:4000", &tcp("localhost", 4000), "tcp://localhost:4000");
        check("tcp://127.0.0.1:0", &tcp("127.0.0.1", 0), "tcp://127.0.0.1:0");
        check("tcp://[::1]:65535", &tcp("::1", 65535), "tcp://[::1]:65535");
        check("tcp://[fe80::1%eth0]:1", &tcp("fe80::1%eth0", 1), "tcp://[fe80::1%eth0]:1");
        check("unix:///run/a b.sock", &Endpoint::Unix("/run/a b.sock".into()), "unix:///run/a b.sock");
        check("unix:/run/a:b", &Endpoint::Unix("/run/a:b".into()), "unix:///run/a:b");
        check("unix:a/b.sock", &Endpoint::Unix("a/b.sock".into()), "unix:a/b.sock");
        check("exec:server -v 'a: b'", &Endpoint::Exec("server -v 'a: b'".to_owned()), "exec:server -v 'a: b'");
    }

    #[test]
    fn an_invalid_address_is_rejected_with_its_fault_and_the_legal_forms() {
        for (text, fault) in [
            ("", "the colon is missing"),
            ("localhost", "the colon is missing"),
            ("localhost:4000", "unknown scheme `localhost`"),
            ("http://a:1", "unknown scheme `http`"),
            ("tcp+ssl://a:1", "unknown scheme `tcp+ssl`"),
            ("stdio://", "unexpected text after `stdio:`"),
            ("tcp:a:1", "`//` is missing before the host"),
            ("tcp://a", "the port is missing"),
            ("tcp://:1", "the host is missing"),
            ("tcp://a:", "the port is missing"),
            ("tcp://a:65536", "`65536` is not a port number from 0 to 65535"),
            ("tcp://a:+1", "`+1` is not a port number from 0 to 65535"),
            ("tcp://a:1/", "`1/` is not a port number from 0 to 65535"),
            ("tcp://b@a:1", "a host cannot contain '@'"),
            ("tcp://::1:4000", "an IPv6 host must be in brackets"),
            ("tcp://[::1", "the bracket around the host is not closed"),
            ("tcp://[::1]", "the port is missing"),
            ("tcp://[a]:1", "`a` is not an IPv6 address"),
            ("unix:", "the path is missing"),
            ("unix://a/b", "a path after `unix://` must be absolute"),
            ("exec: ", "the command line is missing"),
        ] {
            let error = text.parse::<Address>().expect_err(text).to_string();
            let start = format!("`{text}` is not a valid address: {fault}; expected stdio:, ");
            assert!(error.starts_with(&start), "{error}");
            assert!(error.ends_with("exec+lsp:COMMAND LINE"), "{error}");
        }
    }
}
