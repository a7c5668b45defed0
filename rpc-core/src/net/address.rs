//! Addresses: text that names an endpoint and a framing.

use super::endpoint::{Endpoint, SCHEMES};
use crate::framing::{AnyFraming, Headers, Lines};
use std::error::Error;
use std::fmt;
use std::io;
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
/// These forms use [`Lines`], one message per line. With `+lsp` after the scheme (`tcp+lsp://HOST:PORT`), they use
/// [`Headers`], a header before each message. The scheme is case-insensitive, and nothing is escaped.
/// [`Display`](fmt::Display) writes text that [`FromStr`] parses to the same address.
///
/// ```
/// use rpc_core::net::{Address, Endpoint};
/// use rpc_core::transport::AnyFraming;
///
/// let address: Address = "tcp+lsp://[::1]:4000".parse()?;
/// assert!(matches!(address.endpoint(), Endpoint::Tcp(tcp) if tcp.host == "::1" && tcp.port == 4000));
/// assert!(matches!(address.framing(), AnyFraming::Headers(_)));
/// assert_eq!(address.to_string(), "tcp+lsp://[::1]:4000");
/// # Ok::<(), rpc_core::net::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    endpoint: Endpoint,
    has_headers: bool,
}

impl Address {
    /// Creates an address whose messages are framed as [`Lines`].
    #[must_use]
    pub fn lines(endpoint: impl Into<Endpoint>) -> Self {
        Address { endpoint: endpoint.into(), has_headers: false }
    }

    /// Creates an address whose messages are framed with [`Headers`].
    #[must_use]
    pub fn headers(endpoint: impl Into<Endpoint>) -> Self {
        Address { endpoint: endpoint.into(), has_headers: true }
    }

    /// Returns the endpoint.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    #[cfg(feature = "tokio")]
    pub(super) fn set_endpoint(&mut self, endpoint: Endpoint) {
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
        f.write_str(self.endpoint.scheme())?;
        f.write_str(if self.has_headers { "+lsp:" } else { ":" })?;
        self.endpoint.fmt_rest(f)
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
    let (name, has_headers) = match scheme.strip_suffix("+lsp") {
        Some(name) => (name, true),
        None => (&scheme[..], false),
    };
    let endpoint = Endpoint::parse(name, rest).ok_or_else(|| format!("unknown scheme `{scheme}`"))??;
    Ok(Address { endpoint, has_headers })
}

/// The error of parsing an [`Address`]. Its message names the text, the fault and all legal forms.
///
/// ```
/// use rpc_core::net::Address;
///
/// let error = "tcp://localhost".parse::<Address>().unwrap_err();
/// assert!(error.to_string().starts_with("`tcp://localhost` is not a valid address: the port is missing; "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    text: String,
    fault: String,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AddressError { text, fault } = self;
        let (lines, headers) = (forms(":"), forms("+lsp:"));
        write!(f, "`{text}` is not a valid address: {fault}; expected {lines}, or, with headers, {headers}")
    }
}

/// Returns the legal forms, with `colon` after each scheme.
fn forms(colon: &str) -> String {
    let forms =
        SCHEMES.iter().flat_map(|(scheme, forms)| forms.iter().map(move |form| format!("{scheme}{colon}{form}")));
    forms.collect::<Vec<_>>().join(", ")
}

impl Error for AddressError {}

impl From<AddressError> for io::Error {
    fn from(error: AddressError) -> Self {
        io::Error::new(io::ErrorKind::InvalidInput, error)
    }
}

#[cfg(test)]
mod tests {
    use super::Address;
    use crate::net::endpoint::{Endpoint, ExecEndpoint, StdioEndpoint, TcpEndpoint, UnixEndpoint};

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
        let tcp = |host: &str, port| TcpEndpoint { host: host.to_owned(), port }.into();
        let unix = |path: &str| UnixEndpoint { path: path.into() }.into();
        let exec = |command_line: &str| ExecEndpoint { command_line: command_line.to_owned() }.into();
        check("stdio:", &StdioEndpoint.into(), "stdio:");
        check("STDIO:", &StdioEndpoint.into(), "stdio:");
        check("tcp://localhost:4000", &tcp("localhost", 4000), "tcp://localhost:4000");
        check("tcp://127.0.0.1:0", &tcp("127.0.0.1", 0), "tcp://127.0.0.1:0");
        check("tcp://[::1]:65535", &tcp("::1", 65535), "tcp://[::1]:65535");
        check("tcp://[fe80::1%eth0]:1", &tcp("fe80::1%eth0", 1), "tcp://[fe80::1%eth0]:1");
        check("unix:///run/a b.sock", &unix("/run/a b.sock"), "unix:///run/a b.sock");
        check("unix:/run/a:b", &unix("/run/a:b"), "unix:///run/a:b");
        check("unix:a/b.sock", &unix("a/b.sock"), "unix:a/b.sock");
        check("exec:server -v 'a: b'", &exec("server -v 'a: b'"), "exec:server -v 'a: b'");
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
