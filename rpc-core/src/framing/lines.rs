//! One message per line. After garbage, the next line break is the start of the next message.

use super::bounded::extend_bounded;
use super::traits::{Framing, Progress};
use std::io::{self, BufRead};

/// The framing of one message per line, where a line ends with `\n` or `\r\n`.
///
/// Input: lines of spaces and tabs are skipped, a byte order mark at the start of the stream is skipped, and
/// the last line may end without a line break. Output: line breaks inside a message become spaces. They can
/// occur only between the tokens of JSON, so the message keeps its meaning.
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
    is_past_first_line: bool,
    limit: usize,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl Lines {
    /// Creates the framing for a new stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reduces a whole line to the message in it. Returns `false` if the line is blank.
    fn finish_line(&mut self, line: &mut Vec<u8>) -> bool {
        let has_mark = !self.is_past_first_line && line.starts_with(BYTE_ORDER_MARK);
        let start = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        let end = line.len() - usize::from(line.ends_with(b"\r"));
        self.is_past_first_line = true;
        let content = &line[start..end];
        // A line over the limit was cut, and the rest of it may not have been blank.
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
        // One byte over the limit shows that the line is too long. The mark and a `\r` do not count.
        let mark = if self.is_past_first_line { 0 } else { BYTE_ORDER_MARK.len() };
        extend_bounded(message, line.unwrap_or(&bytes[..taken]), limit.saturating_add(mark + 2));
        Ok(Progress { taken, is_whole: line.is_some() && self.finish_line(message) })
    }

    fn finish(&mut self, message: &mut Vec<u8>) -> io::Result<bool> {
        Ok(self.finish_line(message))
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
