//! A transport in words.

use crate::framing::{AnyFraming, Headers, Lines};
use std::error::Error;
use std::fmt;
use std::io;
use std::net::Ipv6Addr;
use std::path::PathBuf;
use std::str::FromStr;

/// Where the other side is, and how messages stand in the bytes: a transport in words, for settings and
/// arguments.
///
/// | form | place |
/// |---|---|
/// | `stdio:` | stdin and stdout of this process |
/// | `tcp://HOST:PORT` | a TCP socket; an IPv6 host stands in brackets |
/// | `unix:///PATH`, `unix:PATH` | a Unix socket, by an absolute path or one from the current folder |
/// | `exec:COMMAND LINE` | stdin and stdout of a child process, which the system's shell starts |
///
/// So written, it has one message a line; with `+lsp` behind its first word (`tcp+lsp://HOST:PORT`) it has a header
/// before each message. Nothing in it is escaped. Shown, it reads as it is parsed.
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

/// The place that an [`Address`] names.
///
/// ```
/// use rpc_core::transport::{Address, Endpoint};
///
/// let place = Endpoint::Exec("my-server --verbose".to_owned());
/// assert_eq!(Address::lines(place).to_string(), "exec:my-server --verbose");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Endpoint {
    /// Stdin and stdout of this process: [`stdio`](crate::transport::stdio).
    Stdio,
    /// A TCP socket: `tcp`.
    Tcp {
        /// A name, or an address without brackets.
        host: String,
        /// The port; zero lets a listener take any that is free.
        port: u16,
    },
    /// A Unix socket: `unix`.
    Unix(PathBuf),
    /// A child process, by a command line: [`child`](crate::transport::child) of [`shell`](crate::transport::shell).
    Exec(String),
}

impl Address {
    /// A place with one message a line.
    #[must_use]
    pub fn lines(endpoint: Endpoint) -> Self {
        Address { endpoint, has_headers: false }
    }

    /// A place with a header before each message.
    #[must_use]
    pub fn headers(endpoint: Endpoint) -> Self {
        Address { endpoint, has_headers: true }
    }

    /// Where the other side is.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The same at another place.
    #[cfg(feature = "tokio")]
    pub(crate) fn set_endpoint(&mut self, endpoint: Endpoint) {
        self.endpoint = endpoint;
    }

    /// How messages stand in the bytes, fresh for a connection.
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
        parse(text).map_err(|mistake| AddressError { text: text.to_owned(), mistake })
    }
}

fn parse(text: &str) -> Result<Address, String> {
    let (scheme, rest) = text.split_once(':').ok_or("it has no colon")?;
    let scheme = scheme.to_ascii_lowercase();
    let (kind, has_headers) = match scheme.strip_suffix("+lsp") {
        Some(kind) => (kind, true),
        None => (&scheme[..], false),
    };
    let endpoint = match kind {
        "stdio" if rest.is_empty() => Endpoint::Stdio,
        "stdio" => return Err("nothing follows `stdio:`".to_owned()),
        "tcp" => tcp(rest)?,
        "unix" => unix(rest)?,
        "exec" if rest.trim().is_empty() => return Err("it has no command line".to_owned()),
        "exec" => Endpoint::Exec(rest.to_owned()),
        _ => return Err(format!("`{scheme}` is no kind of address")),
    };
    Ok(Address { endpoint, has_headers })
}

fn tcp(rest: &str) -> Result<Endpoint, String> {
    let rest = rest.strip_prefix("//").ok_or("`//` is missing before the host")?;
    let (host, port) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']').ok_or("the bracket of the host is not closed")?;
            // A zone may follow the address.
            let address = host.split_once('%').map_or(host, |(address, _)| address);
            if address.parse::<Ipv6Addr>().is_err() {
                return Err(format!("`{host}` is no IPv6 address"));
            }
            (host, port.strip_prefix(':'))
        }
        None => match rest.rsplit_once(':') {
            Some((host, _)) if host.contains(':') => return Err("an IPv6 host stands in brackets".to_owned()),
            Some((host, port)) => (host, Some(port)),
            None => (rest, None),
        },
    };
    if host.is_empty() {
        return Err("it has no host".to_owned());
    }
    if let Some(wrong) = host.chars().find(|c| c.is_whitespace() || c.is_control() || "/@?#[]".contains(*c)) {
        return Err(format!("a host has no {wrong:?}"));
    }
    let port = port.ok_or("it has no port")?;
    match port.parse() {
        Ok(number) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(Endpoint::Tcp { host: host.to_owned(), port: number })
        }
        _ => Err(format!("`{port}` is no port: a number up to 65535")),
    }
}

fn unix(rest: &str) -> Result<Endpoint, String> {
    let path = match rest.strip_prefix("//") {
        Some(path) if !path.starts_with('/') => return Err("three slashes begin an absolute path".to_owned()),
        Some(path) => path,
        None => rest,
    };
    match path {
        "" => Err("it has no path".to_owned()),
        path if path.contains('\0') => Err("a path has no zero byte".to_owned()),
        path => Ok(Endpoint::Unix(path.into())),
    }
}

/// What is wrong with the text of an [`Address`]. Shown, it names the mistake and all legal forms.
///
/// ```
/// use rpc_core::transport::Address;
///
/// let error = "tcp://localhost".parse::<Address>().unwrap_err();
/// assert!(error.to_string().starts_with("`tcp://localhost` is no address: it has no port; "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    text: String,
    mistake: String,
}

const FORMS: &str = "stdio:, tcp://HOST:PORT, unix:///PATH, unix:PATH, exec:COMMAND LINE, \
                     or with headers stdio+lsp:, tcp+lsp://HOST:PORT, unix+lsp:///PATH, unix+lsp:PATH, \
                     exec+lsp:COMMAND LINE";

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no address: {}; expected {FORMS}", self.text, self.mistake)
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
    fn is(text: &str, endpoint: &Endpoint, shown: &str) {
        for (lsp, has_headers) in [("", false), ("+lsp", true)] {
            let with = |text: &str| text.replacen(':', &format!("{lsp}:"), 1);
            let address: Address = with(text).parse().expect(text);
            assert_eq!((&address.endpoint, address.has_headers), (endpoint, has_headers));
            assert_eq!(address.to_string(), with(shown));
            assert_eq!(address.to_string().parse(), Ok(address));
        }
    }

    #[test]
    fn what_is_shown_reads_as_it_was_parsed() {
        let tcp = |host: &str, port| Endpoint::Tcp { host: host.to_owned(), port };
        is("stdio:", &Endpoint::Stdio, "stdio:");
        is("STDIO:", &Endpoint::Stdio, "stdio:");
        is("tcp://localhost:4000", &tcp("localhost", 4000), "tcp://localhost:4000");
        is("tcp://127.0.0.1:0", &tcp("127.0.0.1", 0), "tcp://127.0.0.1:0");
        is("tcp://[::1]:65535", &tcp("::1", 65535), "tcp://[::1]:65535");
        is("tcp://[fe80::1%eth0]:1", &tcp("fe80::1%eth0", 1), "tcp://[fe80::1%eth0]:1");
        is("unix:///run/a b.sock", &Endpoint::Unix("/run/a b.sock".into()), "unix:///run/a b.sock");
        is("unix:/run/a:b", &Endpoint::Unix("/run/a:b".into()), "unix:///run/a:b");
        is("unix:a/b.sock", &Endpoint::Unix("a/b.sock".into()), "unix:a/b.sock");
        is("exec:server -v 'a: b'", &Endpoint::Exec("server -v 'a: b'".to_owned()), "exec:server -v 'a: b'");
    }

    #[test]
    fn a_mistake_is_named_with_the_legal_forms() {
        for (text, mistake) in [
            ("", "it has no colon"),
            ("localhost", "it has no colon"),
            ("localhost:4000", "`localhost` is no kind of address"),
            ("http://a:1", "`http` is no kind of address"),
            ("tcp+ssl://a:1", "`tcp+ssl` is no kind of address"),
            ("stdio://", "nothing follows `stdio:`"),
            ("tcp:a:1", "`//` is missing before the host"),
            ("tcp://a", "it has no port"),
            ("tcp://:1", "it has no host"),
            ("tcp://a:", "`` is no port: a number up to 65535"),
            ("tcp://a:65536", "`65536` is no port: a number up to 65535"),
            ("tcp://a:+1", "`+1` is no port: a number up to 65535"),
            ("tcp://a:1/", "`1/` is no port: a number up to 65535"),
            ("tcp://b@a:1", "a host has no '@'"),
            ("tcp://::1:4000", "an IPv6 host stands in brackets"),
            ("tcp://[::1", "the bracket of the host is not closed"),
            ("tcp://[::1]", "it has no port"),
            ("tcp://[a]:1", "`a` is no IPv6 address"),
            ("unix:", "it has no path"),
            ("unix://a/b", "three slashes begin an absolute path"),
            ("exec: ", "it has no command line"),
        ] {
            let error = text.parse::<Address>().expect_err(text).to_string();
            assert!(error.starts_with(&format!("`{text}` is no address: {mistake}; expected stdio:, ")), "{error}");
            assert!(error.ends_with("exec+lsp:COMMAND LINE"), "{error}");
        }
    }
}
