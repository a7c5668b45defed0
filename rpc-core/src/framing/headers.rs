//! A header block before each message says how many bytes it has, as the Language Server Protocol wants it.
//!
//! Where a message ends is known only by its header: after a wrong one nothing can be found again.

use super::keep::keep;
use super::traits::{Framing, Progress};
use std::io::{self, BufRead, ErrorKind, Write};

/// `Content-Length: N`, an empty line, and a message of N bytes.
///
/// MethodNames of headers ignore case, a value may stand between spaces and tabs, lines may end without their `\r`,
/// other headers are passed over. What is written is `Content-Length: N\r\n\r\n` and the message.
///
/// The stream fails, with an error of kind [`InvalidData`](ErrorKind::InvalidData), when a header block has no
/// `Content-Length`, two different ones or one that is no number, a line without a colon, or more than
/// [`max_header_bytes`](Self::max_header_bytes).
///
/// A message in another charset than UTF-8 (`Content-Type: …; charset=…`; `utf8` is UTF-8, too) must not be read.
/// In its place stands the single byte `0xFF`, which is no JSON in any charset: a server answers it with -32700
/// and goes on.
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
    most: usize,
    /// The line that has not come whole.
    line: Vec<u8>,
    /// How many bytes of a header block have come.
    block: usize,
    length: Option<usize>,
    is_refused: bool,
    /// How much is to come of a message whose header is read.
    left: Option<usize>,
}

impl Default for Headers {
    fn default() -> Self {
        Headers { most: 8 << 10, line: Vec::new(), block: 0, length: None, is_refused: false, left: None }
    }
}

impl Headers {
    /// The framing of a stream that begins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many bytes a header block may have, its empty line counted; 8,192 without this.
    #[must_use]
    pub fn max_header_bytes(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self
    }

    /// Takes bytes of a header block, up to the end of a line, and says how many.
    fn header(&mut self, mut input: &[u8]) -> io::Result<usize> {
        let bytes = input;
        let taken = input.skip_until(b'\n')?;
        self.block += taken;
        if self.block > self.most {
            return Err(wrong(format!("a header block has more than {} bytes", self.most)));
        }
        self.line.extend_from_slice(&bytes[..taken]);
        let mut line = std::mem::take(&mut self.line);
        if let Some(text) = line.strip_suffix(b"\n") {
            self.field(text.strip_suffix(b"\r").unwrap_or(text))?;
            line.clear();
        }
        self.line = line;
        Ok(taken)
    }

    /// One line of a header block, the empty one that ends it too.
    fn field(&mut self, line: &[u8]) -> io::Result<()> {
        if line.is_empty() {
            let Some(length) = self.length.take() else {
                return Err(wrong("a header block has no Content-Length"));
            };
            self.block = 0;
            self.left = Some(length);
            return Ok(());
        }
        // A name cannot begin so, but a message does.
        if matches!(line.first(), Some(b'{' | b'[')) {
            return Err(wrong("a message stands where its header should be: the other side writes one message a line"));
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return Err(wrong(format!("a header line has no colon: {}", shown(line))));
        };
        let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"Content-Length") {
            let length = length(value)?;
            if self.length.is_some_and(|before| before != length) {
                return Err(wrong("a header block has two different values of Content-Length"));
            }
            self.length = Some(length);
        } else if name.eq_ignore_ascii_case(b"Content-Type") {
            self.is_refused |= !is_utf8(value);
        }
        Ok(())
    }
}

fn length(value: &[u8]) -> io::Result<usize> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(wrong(format!("the Content-Length is no number: {}", shown(value))));
    }
    let number = str::from_utf8(value).ok().and_then(|value| value.parse().ok());
    number.ok_or_else(|| wrong(format!("the Content-Length is too large: {}", shown(value))))
}

/// Whether a content type leaves the charset out or says UTF-8.
fn is_utf8(value: &[u8]) -> bool {
    value.split(|byte| *byte == b';').skip(1).all(|parameter| {
        let Some(equals) = parameter.iter().position(|byte| *byte == b'=') else { return true };
        let (name, value) = (parameter[..equals].trim_ascii(), parameter[equals + 1..].trim_ascii());
        let value = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
        // SPEC LSP, content part: `utf8` stands for `utf-8`.
        !name.eq_ignore_ascii_case(b"charset")
            || [&b"utf-8"[..], b"utf8"].iter().any(|name| value.eq_ignore_ascii_case(name))
    })
}

fn wrong(mistake: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, mistake.into())
}

/// The beginning of what is wrong, fit for a log.
fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let more = if bytes.len() > MOST { "…" } else { "" };
    format!("`{}{more}`", bytes[..bytes.len().min(MOST)].escape_ascii())
}

impl Framing for Headers {
    fn decode(&mut self, input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress> {
        let mut taken = 0;
        loop {
            let rest = &input[taken..];
            if let Some(left) = self.left {
                let piece = &rest[..rest.len().min(left)];
                if !self.is_refused {
                    keep(message, piece, limit.saturating_add(1));
                }
                taken += piece.len();
                self.left = Some(left - piece.len()).filter(|left| *left > 0);
                let is_whole = self.left.is_none();
                if is_whole && std::mem::take(&mut self.is_refused) {
                    message.push(0xFF);
                }
                return Ok(Progress { taken, is_whole });
            }
            if rest.is_empty() {
                return Ok(Progress { taken, is_whole: false });
            }
            taken += self.header(rest)?;
        }
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> io::Result<bool> {
        let place = match self.left {
            None if self.block == 0 => return Ok(false),
            None => "in a header block".to_owned(),
            Some(left) => format!("within a message; bytes of it that are missing: {left}"),
        };
        Err(io::Error::new(ErrorKind::UnexpectedEof, format!("the input ended {place}")))
    }

    fn encode(&self, message: &[u8], out: &mut Vec<u8>) {
        out.reserve(message.len() + 40);
        // Memory never fails.
        let _ = write!(out, "Content-Length: {}\r\n\r\n", message.len());
        out.extend_from_slice(message);
    }
}
