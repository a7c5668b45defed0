//! A header block before each message, with its length in bytes, as in the Language Server Protocol.
//!
//! The header is the only mark of a message's end, so an invalid header ends the stream: the next message
//! cannot be found.

use super::bounded::extend_bounded;
use super::traits::{Framing, Progress};
use crate::limits::HEADER_BYTES;
use std::io::{self, BufRead, ErrorKind, Write};

/// The framing of the Language Server Protocol: `Content-Length: N`, an empty line, and a message of N bytes.
///
/// Input is read leniently: header names are case-insensitive, spaces and tabs around a value are ignored, a
/// line may end with `\n` alone, and other headers are ignored. Output is `Content-Length: N\r\n\r\n` and the
/// message.
///
/// The stream fails with an error of kind [`InvalidData`](ErrorKind::InvalidData) if a header block
///
/// - has no `Content-Length`, two different ones, or one that is not a decimal number;
/// - has a line without a colon;
/// - is longer than [`max_header_bytes`](Self::max_header_bytes).
///
/// A message with a charset other than UTF-8 (`Content-Type: …; charset=…`, where `utf8` also means UTF-8) is
/// replaced by the single byte `0xFF`, which is not JSON: a server responds with -32700 and continues.
///
/// ```
/// use rpc_core::transport::{Framing, Headers};
///
/// let mut out = vec![];
/// Headers::new().encode("\"é\"".as_bytes(), &mut out);
/// assert_eq!(out, "Content-Length: 4\r\n\r\n\"é\"".as_bytes());
/// ```
#[derive(Clone, Debug)]
pub struct Headers {
    max_header_bytes: usize,
    /// The bytes of a header line whose end has not been read yet.
    line: Vec<u8>,
    /// The number of bytes read of the current header block.
    block_bytes: usize,
    length: Option<usize>,
    has_other_charset: bool,
    /// The number of bytes of the current message that have not been read yet; `None` inside a header block.
    remaining: Option<usize>,
}

impl Default for Headers {
    fn default() -> Self {
        Headers {
            max_header_bytes: HEADER_BYTES,
            line: Vec::new(),
            block_bytes: 0,
            length: None,
            has_other_charset: false,
            remaining: None,
        }
    }
}

impl Headers {
    /// Creates the framing for a new stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum length of a header block in bytes, including its empty line. The default is 8,192.
    #[must_use]
    pub fn max_header_bytes(mut self, bytes: usize) -> Self {
        self.max_header_bytes = bytes;
        self
    }

    /// Reads bytes of a header block, at most one line, and returns how many it has read.
    fn read_header(&mut self, mut input: &[u8]) -> io::Result<usize> {
        let bytes = input;
        let taken = input.skip_until(b'\n')?;
        self.block_bytes += taken;
        if self.block_bytes > self.max_header_bytes {
            return Err(invalid_data(format!("the header block is longer than {} bytes", self.max_header_bytes)));
        }
        self.line.extend_from_slice(&bytes[..taken]);
        let mut line = std::mem::take(&mut self.line);
        if let Some(text) = line.strip_suffix(b"\n") {
            self.parse_line(text.strip_suffix(b"\r").unwrap_or(text))?;
            line.clear();
        }
        self.line = line;
        Ok(taken)
    }

    /// Parses one line of a header block, or the empty line that ends the block.
    fn parse_line(&mut self, line: &[u8]) -> io::Result<()> {
        if line.is_empty() {
            let Some(length) = self.length.take() else {
                return Err(invalid_data("the header block has no Content-Length"));
            };
            self.block_bytes = 0;
            self.remaining = Some(length);
            return Ok(());
        }
        // No header name starts like this; a message does.
        if matches!(line.first(), Some(b'{' | b'[')) {
            return Err(invalid_data("found a message instead of a header: the peer may send one message per line"));
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return Err(invalid_data(format!("the header line has no colon: {}", excerpt(line))));
        };
        let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"Content-Length") {
            let length = parse_length(value)?;
            if self.length.is_some_and(|before| before != length) {
                return Err(invalid_data("the header block has two different values of Content-Length"));
            }
            self.length = Some(length);
        } else if name.eq_ignore_ascii_case(b"Content-Type") {
            self.has_other_charset |= !is_utf8(value);
        }
        Ok(())
    }
}

fn parse_length(value: &[u8]) -> io::Result<usize> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(invalid_data(format!("the Content-Length is not a decimal number: {}", excerpt(value))));
    }
    let number = str::from_utf8(value).ok().and_then(|value| value.parse().ok());
    number.ok_or_else(|| invalid_data(format!("the Content-Length is too large: {}", excerpt(value))))
}

/// Returns `true` if a content type has no charset, or the charset UTF-8.
fn is_utf8(value: &[u8]) -> bool {
    value.split(|byte| *byte == b';').skip(1).all(|parameter| {
        let Some(equals) = parameter.iter().position(|byte| *byte == b'=') else { return true };
        let (name, value) = (parameter[..equals].trim_ascii(), parameter[equals + 1..].trim_ascii());
        let value = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
        // SPEC LSP, content part: `utf8` is treated as `utf-8`.
        !name.eq_ignore_ascii_case(b"charset")
            || [&b"utf-8"[..], b"utf8"].iter().any(|name| value.eq_ignore_ascii_case(name))
    })
}

fn invalid_data(text: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, text.into())
}

/// Returns at most the first 60 bytes, escaped and in backticks.
fn excerpt(bytes: &[u8]) -> String {
    const MAX_BYTES: usize = 60;
    let ellipsis = if bytes.len() > MAX_BYTES { "…" } else { "" };
    format!("`{}{ellipsis}`", bytes[..bytes.len().min(MAX_BYTES)].escape_ascii())
}

impl Framing for Headers {
    fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress> {
        let mut taken = 0;
        loop {
            let rest = &input[taken..];
            if let Some(remaining) = self.remaining {
                let piece = &rest[..rest.len().min(remaining)];
                if !self.has_other_charset {
                    extend_bounded(message, piece, limit.saturating_add(1));
                }
                taken += piece.len();
                self.remaining = Some(remaining - piece.len()).filter(|remaining| *remaining > 0);
                let is_whole = self.remaining.is_none();
                if is_whole && std::mem::take(&mut self.has_other_charset) {
                    message.push(0xFF);
                }
                return Ok(Progress { taken, is_whole });
            }
            if rest.is_empty() {
                return Ok(Progress { taken, is_whole: false });
            }
            taken += self.read_header(rest)?;
        }
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> io::Result<bool> {
        let fault = match self.remaining {
            None if self.block_bytes == 0 => return Ok(false),
            None => "the input ended inside a header block".to_owned(),
            Some(remaining) => format!("the input ended inside a message, missing bytes: {remaining}"),
        };
        Err(io::Error::new(ErrorKind::UnexpectedEof, fault))
    }

    fn encode(&self, message: &[u8], out: &mut Vec<u8>) {
        out.reserve(message.len() + 40);
        // Writing to a vector does not fail.
        let _ = write!(out, "Content-Length: {}\r\n\r\n", message.len());
        out.extend_from_slice(message);
    }
}
