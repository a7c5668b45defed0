//! A framing that is chosen at run time.

use super::headers::Headers;
use super::lines::Lines;
use super::traits::{Framing, Progress};
use std::io;

/// Either framing, for programs that choose at run time. The default is [`Lines`].
///
/// ```
/// use rpc_core::transport::{AnyFraming, Framing, Headers, Lines};
///
/// fn framing(is_lsp: bool) -> AnyFraming {
///     if is_lsp { Headers::new().into() } else { Lines::new().into() }
/// }
/// let mut out = vec![];
/// framing(false).encode(b"1", &mut out);
/// framing(true).encode(b"1", &mut out);
/// assert_eq!(out, b"1\nContent-Length: 1\r\n\r\n1");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyFraming {
    /// One message per line.
    Lines(Lines),
    /// A header before each message.
    Headers(Headers),
}

impl Default for AnyFraming {
    fn default() -> Self {
        AnyFraming::Lines(Lines::default())
    }
}

impl From<Lines> for AnyFraming {
    fn from(lines: Lines) -> Self {
        AnyFraming::Lines(lines)
    }
}

impl From<Headers> for AnyFraming {
    fn from(headers: Headers) -> Self {
        AnyFraming::Headers(headers)
    }
}

impl Framing for AnyFraming {
    fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress> {
        match self {
            AnyFraming::Lines(lines) => lines.decode(input, message, limit),
            AnyFraming::Headers(headers) => headers.decode(input, message, limit),
        }
    }

    fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool> {
        match self {
            AnyFraming::Lines(lines) => lines.finish(message),
            AnyFraming::Headers(headers) => headers.finish(message),
        }
    }

    fn encode(&self, message: &[u8], out: &mut Vec<u8>) {
        match self {
            AnyFraming::Lines(lines) => lines.encode(message, out),
            AnyFraming::Headers(headers) => headers.encode(message, out),
        }
    }
}
