//! One message a line.
//!
//! A line break ends a message, so one can always be found again after garbage. Blank lines are
//! skipped, and a byte order mark may open the stream.

/// Puts lines together from whatever pieces they come in.
#[derive(Debug)]
pub(crate) struct Lines {
    line: Vec<u8>,
    limit: usize,
    is_first: bool,
    is_whole: bool,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl Lines {
    /// Keeps of each line what is needed to see that it is longer than `limit` bytes, and no more.
    pub(crate) fn new(limit: usize) -> Self {
        Lines { line: Vec::new(), limit, is_first: true, is_whole: false }
    }

    /// Takes bytes up to the end of a line, and says how many.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> usize {
        if self.is_whole {
            self.line.clear();
            self.is_whole = false;
            self.is_first = false;
        }
        let (length, taken) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                self.is_whole = true;
                (end, end + 1)
            }
            None => (bytes.len(), bytes.len()),
        };
        let mark = if self.is_first { BYTE_ORDER_MARK.len() } else { 0 };
        // One byte more shows that the line is too long; a carriage return at its end does not count.
        let room = self.limit.saturating_add(mark + 2).saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..length.min(room)]);
        taken
    }

    /// The message of a line that has come whole; `None` before that, and for a blank line.
    pub(crate) fn message(&self) -> Option<&[u8]> {
        if self.is_whole { self.last() } else { None }
    }

    /// The message of a last line that no line break ended.
    pub(crate) fn last(&self) -> Option<&[u8]> {
        let line = self.line.strip_prefix(BYTE_ORDER_MARK).filter(|_| self.is_first).unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_blank = line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        // What was cut off a line that is too long need not be blank.
        (!is_blank || line.len() > self.limit).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    fn read(input: &[u8], piece: usize, limit: usize) -> Vec<String> {
        let mut lines = Lines::new(limit);
        let mut found = vec![];
        for mut bytes in input.chunks(piece) {
            while !bytes.is_empty() {
                bytes = &bytes[lines.feed(bytes)..];
                found.extend(lines.message().map(|line| String::from_utf8_lossy(line).into_owned()));
            }
        }
        if !lines.is_whole {
            found.extend(lines.last().map(|line| String::from_utf8_lossy(line).into_owned()));
        }
        found
    }

    #[test]
    fn any_split_gives_the_same_lines() {
        let input = "\u{feff}{\"é\":\"漢😀\"}\r\n\n \t\r\n\u{feff}[]\n1".as_bytes();
        for piece in 1..=input.len() {
            assert_eq!(read(input, piece, 100), ["{\"é\":\"漢😀\"}", "\u{feff}[]", "1"], "{piece}");
        }
    }

    #[test]
    fn a_long_line_is_cut_where_its_length_shows() {
        for piece in [1, 3, 100] {
            let read = read(b"12345\r\n1234567890\n         {}\n123\n", piece, 5);
            assert!(read[1].len() > 5 && read[2].len() > 5, "{read:?}");
            assert_eq!([&read[0], &read[3]], ["12345", "123"]);
        }
    }
}
