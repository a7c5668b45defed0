//! The fast reader of a request's envelope. It yields offsets and slices and classifies nothing.
//!
//! It reads the members before the value of `params` and those after it. At anything unusual (an escape, an
//! unknown or repeated member, any error) it returns `None`, and the caller falls back to the strict reader.
//! Whatever it accepts, the strict reader accepts with the same meaning.

const VERSION: u8 = 1;
const METHOD: u8 = 2;
const PARAMS: u8 = 4;
const ID: u8 = 8;

/// A reader of one request object.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The members read so far: bits of the constants above.
    seen: u8,
    method: &'a str,
    id: Option<&'a str>,
}

/// The position where the cursor stopped.
#[derive(PartialEq, Eq)]
pub(crate) enum Stop {
    /// At the value of `params`.
    Params,
    /// Past the end of the object.
    End,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the offset of an object.
    #[inline]
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Cursor { text, at, seen: 0, method: "", id: None }
    }

    /// Moves to the offset of the next object.
    #[inline]
    pub(crate) fn start_at(&mut self, at: usize) {
        self.at = at;
        self.seen = 0;
        self.id = None;
    }

    /// Reads up to the value of `params`, or past the end of the object if it has no `params`. On success,
    /// [`method`](Self::method) returns the method's name.
    #[inline]
    pub(crate) fn head(&mut self) -> Option<Stop> {
        if self.compact_head().is_some() {
            return Some(Stop::Params);
        }
        self.any_head()
    }

    /// Reads a head without white space, as most clients send it. On any other form the cursor does not move.
    #[inline]
    fn compact_head(&mut self) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let method = rest.strip_prefix(br#"{"jsonrpc":"2.0","method":""#)?;
        let length = method.iter().position(|byte| ends_plain_string(*byte))?;
        let params = method[length..].strip_prefix(br#"","params":"#)?;
        if !matches!(params.first()?, b'[' | b'{') {
            return None;
        }
        let start = self.text.len() - method.len();
        self.method = self.text.get(start..start + length)?;
        self.at = self.text.len() - params.len();
        self.seen = VERSION | METHOD | PARAMS;
        Some(())
    }

    fn any_head(&mut self) -> Option<Stop> {
        self.expect(b'{')?;
        self.skip_space();
        let stop = self.members()?;
        (self.seen & METHOD != 0).then_some(stop)
    }

    /// Skips the value of `params`, which is `length` bytes long, and reads past the end of the object.
    #[inline]
    pub(crate) fn tail(&mut self, length: usize) -> Option<()> {
        self.at += length;
        if self.compact_tail().is_some() {
            return Some(());
        }
        self.any_tail()
    }

    /// Reads a tail without white space, as most clients send it. On any other form the cursor does not move.
    #[inline]
    fn compact_tail(&mut self) -> Option<()> {
        if self.seen & (VERSION | ID) != VERSION {
            return None;
        }
        let rest = self.text.as_bytes().get(self.at..)?;
        let id = rest.strip_prefix(br#","id":"#)?;
        let length = id.iter().position(|byte| !byte.is_ascii_digit())?;
        if id[length] != b'}' || length == 0 || (length > 1 && id[0] == b'0') {
            return None;
        }
        let start = self.text.len() - id.len();
        self.id = self.text.get(start..start + length);
        self.at = start + length + 1;
        self.seen |= ID;
        Some(())
    }

    fn any_tail(&mut self) -> Option<()> {
        // `members` returns `None` at a second `params`.
        (self.skip_comma_or_end()? || self.members()? == Stop::End).then_some(())
    }

    #[inline]
    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    #[inline]
    pub(crate) fn method(&self) -> &'a str {
        self.method
    }

    /// Returns the JSON token of the id.
    #[inline]
    pub(crate) fn id(&self) -> Option<&'a str> {
        self.id
    }

    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Skips white space and returns `true` if the text ends there.
    #[inline]
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.text.len()
    }

    #[inline]
    pub(crate) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    pub(crate) fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn skip_literal<const N: usize>(&mut self, literal: &[u8; N]) -> bool {
        let found = self.text.as_bytes().get(self.at..).and_then(<[u8]>::first_chunk) == Some(literal);
        if found {
            self.at += N;
        }
        found
    }

    /// Marks a member as seen; `None` if it is repeated.
    #[inline]
    fn mark_seen(&mut self, member: u8) -> Option<()> {
        (self.seen & member == 0).then(|| self.seen |= member)
    }

    /// Reads members up to the value of `params` or past the object's end.
    fn members(&mut self) -> Option<Stop> {
        loop {
            // Members without white space, as nearly every client writes them, are compared in one step.
            if self.skip_literal(br#""jsonrpc":"2.0""#) {
                self.mark_seen(VERSION)?;
            } else if self.skip_literal(br#""method":""#) {
                self.mark_seen(METHOD)?;
                self.method = self.string_end()?;
            } else if self.skip_literal(br#""params":"#) {
                return self.params();
            } else if self.skip_literal(br#""id":"#) {
                self.mark_seen(ID)?;
                self.read_id()?;
            } else {
                let name = self.string()?;
                self.skip_space();
                self.expect(b':')?;
                self.skip_space();
                match name {
                    "jsonrpc" => {
                        self.mark_seen(VERSION)?;
                        if self.string()? != "2.0" {
                            return None;
                        }
                    }
                    "method" => {
                        self.mark_seen(METHOD)?;
                        self.method = self.string()?;
                    }
                    "params" => return self.params(),
                    "id" => {
                        self.mark_seen(ID)?;
                        self.read_id()?;
                    }
                    _ => return None,
                }
            }
            if self.skip_comma_or_end()? {
                return Some(Stop::End);
            }
        }
    }

    /// Stops at the value of `params`; `None` if the method is not known yet or if the value is not an array,
    /// an object or null.
    #[inline]
    fn params(&mut self) -> Option<Stop> {
        self.mark_seen(PARAMS)?;
        self.skip_space();
        (self.seen & METHOD != 0 && matches!(self.peek()?, b'[' | b'{' | b'n')).then_some(Stop::Params)
    }

    /// Skips a comma (`false`) or the closing bracket of a complete request (`true`).
    #[inline]
    fn skip_comma_or_end(&mut self) -> Option<bool> {
        self.skip_space();
        match self.peek()? {
            b',' => {
                self.at += 1;
                self.skip_space();
                Some(false)
            }
            b'}' if self.seen & (VERSION | METHOD) == VERSION | METHOD => {
                self.at += 1;
                Some(true)
            }
            _ => None,
        }
    }

    /// Reads a string without escapes and returns its content.
    #[inline]
    fn string(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        self.string_end()
    }

    /// Reads the rest of such a string, after its opening quote.
    #[inline]
    fn string_end(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest.bytes().position(ends_plain_string)?;
        let (string, end) = rest.split_at_checked(length)?;
        self.at += length + 1;
        end.starts_with('"').then_some(string)
    }

    /// Reads an id that is a string without escapes or a natural number.
    #[inline]
    fn read_id(&mut self) -> Option<()> {
        self.skip_space();
        let start = self.at;
        match self.peek()? {
            b'"' => {
                self.string()?;
            }
            b'0' => self.at += 1,
            b'1'..=b'9' => {
                while self.peek()?.is_ascii_digit() {
                    self.at += 1;
                }
            }
            _ => return None,
        }
        self.id = self.text.get(start..self.at);
        Some(())
    }
}

/// Returns `true` if a string without escapes ends at this byte.
#[inline]
fn ends_plain_string(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}
