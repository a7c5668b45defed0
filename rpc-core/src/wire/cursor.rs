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

    /// Reads up to the value of `params`, or to the end when there is none. The method is known then.
    #[inline]
    pub(crate) fn head(&mut self) -> Option<Stop> {
        self.expect(b'{')?;
        self.skip_space();
        let stop = self.members()?;
        (self.seen & METHOD != 0).then_some(stop)
    }

    /// Goes past the value of `params`, which is `length` bytes long, and reads the rest.
    #[inline]
    pub(crate) fn tail(&mut self, length: usize) -> Option<()> {
        self.at += length;
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

    /// Goes past white space.
    #[inline]
    pub(crate) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.byte() {
            self.at += 1;
        }
    }

    /// Goes past `byte`, if it comes next.
    #[inline]
    pub(crate) fn expect(&mut self, byte: u8) -> Option<()> {
        (self.byte()? == byte).then(|| self.at += 1)
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn tries(&mut self, literal: &str) -> bool {
        let found = self.rest().as_bytes().starts_with(literal.as_bytes());
        if found {
            self.at += literal.len();
        }
        found
    }

    /// Notes that a member came; `None` if it came before.
    #[inline]
    fn once(&mut self, member: u8) -> Option<()> {
        (self.seen & member == 0).then(|| self.seen |= member)
    }

    /// Reads members up to the value of `params` or past the object's end.
    #[inline]
    fn members(&mut self) -> Option<Stop> {
        loop {
            // Compact members, as nearly every client writes them, are compared whole.
            if self.tries("\"jsonrpc\":\"2.0\"") {
                self.once(VERSION)?;
            } else if self.tries("\"method\":") {
                self.once(METHOD)?;
                self.method = self.string()?;
            } else if self.tries("\"params\":") {
                return self.params();
            } else if self.tries("\"id\":") {
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
        (self.seen & METHOD != 0 && matches!(self.byte()?, b'[' | b'{' | b'n')).then_some(Stop::Params)
    }

    /// Goes past a comma (false) or the closing bracket (true) of a complete request.
    #[inline]
    fn ends_here(&mut self) -> Option<bool> {
        self.skip_space();
        match self.byte()? {
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
        let rest = self.rest();
        let length = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
        if rest.as_bytes()[length] != b'"' {
            return None;
        }
        self.at += length + 1;
        Some(&rest[..length])
    }

    /// A string without escapes, or a natural number.
    #[inline]
    fn id_token(&mut self) -> Option<()> {
        self.skip_space();
        let start = self.at;
        match self.byte()? {
            b'"' => drop(self.string()?),
            b'0' => self.at += 1,
            b'1'..=b'9' => self.at += self.rest().bytes().position(|byte| !byte.is_ascii_digit())?,
            _ => return None,
        }
        self.id = Some(&self.text[start..self.at]);
        Some(())
    }
}
