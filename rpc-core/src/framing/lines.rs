//! One message a line.
//!
//! A line break ends a message, so one can always be found again after garbage. Blank lines are
//! skipped, and a byte order mark may open the stream.

use super::keep::keep;
use super::traits::{Framing, Progress};
use std::io::{self, BufRead};

/// One message a line, which ends with `\n`.
///
/// A `\r` before the line break does not count; lines of spaces and tabs are skipped; a byte order mark may
/// open the stream; a last line needs no line break. A message is written on one line: line breaks in it,
/// which can stand between the tokens of JSON only, become spaces.
///
/// ```
/// use rpc_core::transport::{Framing, Lines};
///
/// let mut out = vec![];
/// Lines::new().encode(b"{\"id\":\n1}", &mut out);
/// assert_eq!(out, b"{\"id\": 1}\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lines {
    is_past_first: bool,
    limit: usize,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl Lines {
    /// The framing of a stream that begins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether what was kept of a line is a message; of one it leaves the content.
    fn end(&mut self, line: &mut Vec<u8>) -> bool {
        let has_mark = !self.is_past_first && line.starts_with(BYTE_ORDER_MARK);
        let start = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        let end = line.len() - usize::from(line.ends_with(b"\r"));
        self.is_past_first = true;
        let content = &line[start..end];
        // What was cut off a line that is too long need not be blank.
        if content.len() <= self.limit && content.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            line.clear();
            return false;
        }
        line.truncate(end);
        line.drain(..start);
        line.truncate(self.limit.saturating_add(1));
        true
    }
}

impl Framing for Lines {
    fn decode(&mut self, mut input: &[u8], message: &mut Vec<u8>, limit: usize) -> io::Result<Progress> {
        self.limit = limit;
        let bytes = input;
        let taken = input.skip_until(b'\n')?;
        let line = bytes[..taken].strip_suffix(b"\n");
        // One byte more shows that the line is too long; a mark and a carriage return do not count.
        let mark = if self.is_past_first { 0 } else { BYTE_ORDER_MARK.len() };
        keep(message, line.unwrap_or(&bytes[..taken]), limit.saturating_add(mark + 2));
        Ok(Progress { taken, is_whole: line.is_some() && self.end(message) })
    }

    fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool> {
        Ok(self.end(message))
    }

    fn encode(&self, message: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        out.reserve(message.len() + 1);
        out.extend_from_slice(message);
        if message.contains(&b'\n') || message.contains(&b'\r') {
            for byte in out[start..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')) {
                *byte = b' ';
            }
        }
        out.push(b'\n');
    }
}
