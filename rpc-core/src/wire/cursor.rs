//! The fast reader of a request's envelope: offsets and slices, nothing decided.
//!
//! It reads the members of a request that stand in the way of its params, and those behind them. At
//! anything unusual (an escape, an unknown or repeated member, an error of any kind) it says `None`
//! and the exact reader decides; what it does accept, the exact reader accepts with the same meaning.

const VERSION: u8 = 1;
const METHOD: u8 = 2;
const PARAMS: u8 = 4;
const ID: u8 = 8;

/// Reads one request object.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    seen: u8,
    method: &'a str,
    id: Option<&'a str>,
}

/// Where the cursor stopped.
#[derive(PartialEq, Eq)]
pub(crate) enum Stop {
    /// At the value of `params`.
    Params,
    /// Behind the object.
    End,
}

impl<'a> Cursor<'a> {
    /// Begins at `at`, where the object should open.
    #[inline]
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Cursor { text, at, seen: 0, method: "", id: None }
    }

    /// Begins anew at `at`.
    #[inline]
    pub(crate) fn start_at(&mut self, at: usize) {
        self.at = at;
        self.seen = 0;
        self.id = None;
    }

    /// Reads up to the value of `params`, or to the end when there is none. The method is known then.
    #[inline]
    pub(crate) fn head(&mut self) -> Option<Stop> {
        if self.common_head().is_some() {
            return Some(Stop::Params);
        }
        self.any_head()
    }

    /// As most clients begin, our own among them; the cursor stays where it is for anything else.
    #[inline]
    fn common_head(&mut self) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let method = rest.strip_prefix(br#"{"jsonrpc":"2.0","method":""#)?;
        let length = method.iter().position(|byte| ends_plain(*byte))?;
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

    /// Goes past the value of `params`, which is `length` bytes long, and reads the rest.
    #[inline]
    pub(crate) fn tail(&mut self, length: usize) -> Option<()> {
        self.at += length;
        if self.common_tail().is_some() {
            return Some(());
        }
        self.any_tail()
    }

    /// As most clients end, our own among them; the cursor stays where it is for anything else.
    #[inline]
    fn common_tail(&mut self) -> Option<()> {
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
        // There can be no second `params`: `members` would not stop there.
        (self.ends_here()? || self.members()? == Stop::End).then_some(())
    }

    /// The text from the cursor on.
    #[inline]
    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    #[inline]
    pub(crate) fn method(&self) -> &'a str {
        self.method
    }

    /// The token of the id.
    #[inline]
    pub(crate) fn id(&self) -> Option<&'a str> {
        self.id
    }

    /// Offset of the cursor.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Whether nothing but white space follows.
    #[inline]
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.text.len()
    }

    /// Goes past white space.
    #[inline]
    pub(crate) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Goes past `byte`, if it comes next.
    #[inline]
    pub(crate) fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The next byte.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn tries<const N: usize>(&mut self, literal: &[u8; N]) -> bool {
        let found = self.text.as_bytes().get(self.at..).and_then(<[u8]>::first_chunk) == Some(literal);
        if found {
            self.at += N;
        }
        found
    }

    /// Notes that a member came; `None` if it came before.
    #[inline]
    fn once(&mut self, member: u8) -> Option<()> {
        (self.seen & member == 0).then(|| self.seen |= member)
    }

    /// Reads members up to the value of `params` or past the object's end.
    fn members(&mut self) -> Option<Stop> {
        loop {
            // Compact members, as nearly every client writes them, are compared whole.
            if self.tries(br#""jsonrpc":"2.0""#) {
                self.once(VERSION)?;
            } else if self.tries(br#""method":""#) {
                self.once(METHOD)?;
                self.method = self.string_end()?;
            } else if self.tries(br#""params":"#) {
                return self.params();
            } else if self.tries(br#""id":"#) {
                self.once(ID)?;
                self.id_token()?;
            } else {
                let name = self.string()?;
                self.skip_space();
                self.expect(b':')?;
                self.skip_space();
                match name {
                    "jsonrpc" => {
                        self.once(VERSION)?;
                        if self.string()? != "2.0" {
                            return None;
                        }
                    }
                    "method" => {
                        self.once(METHOD)?;
                        self.method = self.string()?;
                    }
                    "params" => return self.params(),
                    "id" => {
                        self.once(ID)?;
                        self.id_token()?;
                    }
                    _ => return None,
                }
            }
            if self.ends_here()? {
                return Some(Stop::End);
            }
        }
    }

    /// At the value of `params`: only behind the method, and only a list, an object or null.
    #[inline]
    fn params(&mut self) -> Option<Stop> {
        self.once(PARAMS)?;
        self.skip_space();
        (self.seen & METHOD != 0 && matches!(self.peek()?, b'[' | b'{' | b'n')).then_some(Stop::Params)
    }

    /// Goes past a comma (false) or the closing bracket (true) of a complete request.
    #[inline]
    fn ends_here(&mut self) -> Option<bool> {
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

    /// A string without escapes, its quotes left off.
    #[inline]
    fn string(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        self.string_end()
    }

    /// A string without escapes behind its opening quote.
    #[inline]
    fn string_end(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest.bytes().position(ends_plain)?;
        let (string, end) = rest.split_at_checked(length)?;
        self.at += length + 1;
        end.starts_with('"').then_some(string)
    }

    /// A string without escapes, or a natural number.
    #[inline]
    fn id_token(&mut self) -> Option<()> {
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

/// Whether a string without escapes ends at this byte.
#[inline]
fn ends_plain(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}
