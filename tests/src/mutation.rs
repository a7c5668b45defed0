//! Nearly valid messages: seed messages with a few random changes.

use crate::random::Random;
use crate::seed_messages::SEEDS;
use crate::{json_test_suite, vectors};
use std::ops::Range;

/// Tokens that are inserted anywhere.
const TOKENS: [&[u8]; 57] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"\t",
    b"\n",
    b"\r",
    b"\x0b",
    b"\x0c",
    b"\0",
    b"\x1f",
    b"\x7f",
    b"/",
    b"//",
    b"\\u0000",
    b"\\u0061",
    b"\\ud800",
    b"\\udc00",
    b"\\ud83d\\ude00",
    b"\\u12",
    b"\\x",
    b"\\n",
    b"\\\"",
    b"\xc3",
    b"\xc3\xa9",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xe2\x80\xa8",
    b"\xc2\xa0",
    b"\xc0\xaf",
    b"\xf4\x90\x80\x80",
    b"0",
    b"-",
    b"-0",
    b"01",
    b"1.",
    b".5",
    b"1e999",
    b"1E+2",
    b"0.1",
    b"123456789012345678901234567890",
    b"null",
    b"true",
    b"nul",
    b"NaN",
    b"\"\"",
    b"[]",
    b"{}",
    b"[[",
    b"\"x\":",
    b"1,",
];

/// Members that are inserted between others.
const MEMBERS: [&[u8]; 15] = [
    b"\"id\":1",
    b"\"id\":null",
    b"\"id\":\"\\ud800\"",
    b"\"params\":null",
    b"\"params\":[1]",
    b"\"method\":\"add\"",
    b"\"jsonrpc\":\"2.0\"",
    b"\"jsonrpc\":\"1.0\"",
    b"\"m\\u0065thod\":\"ping\"",
    b"\"result\":1",
    b"\"error\":null",
    b"\"error\":{\"code\":1}",
    b"\"x\":[{}]",
    b"\"$serde_json::private::Number\":\"1\"",
    b"\"$serde_json::private::RawValue\":\"1\"",
];

/// Values that replace others.
const VALUES: [&str; 32] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "255",
    "256",
    "-1",
    "1.0",
    "1e2",
    "1E400",
    "-1e-400",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "0.1e1",
    r#""""#,
    r#""x""#,
    r#""\u0000""#,
    r#""\ud800""#,
    r#""\/""#,
    r#""\ud83d\ude00""#,
    r#""2.0""#,
    r#""ping""#,
    r#""nope""#,
    "[]",
    "{}",
    "[1]",
    r#"{"a":1}"#,
    "[[],{}]",
    r#"{"":""}"#,
];

/// A generator of mutated messages.
#[derive(Debug)]
pub struct Mutations {
    random: Random,
    seeds: Vec<Vec<u8>>,
}

impl Mutations {
    /// Mutates [`SEEDS`], all vectors, and the small files of `JSONTestSuite` if the suite is present.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut seeds: Vec<Vec<u8>> = SEEDS.iter().map(|seed| seed.as_bytes().to_vec()).collect();
        seeds.extend(vectors::server().into_iter().map(|vector| vector.request));
        seeds.extend(vectors::client().into_iter().map(|vector| vector.body.replace("$ID", "1").into_bytes()));
        for file in json_test_suite::files().unwrap_or_default() {
            if !file.name.starts_with("n_") {
                seeds.push(json_test_suite::as_param("raw", &file.text));
            }
        }
        seeds.retain(|seed| seed.len() < 1_500);
        Mutations { random: Random::new(seed), seeds }
    }

    /// Returns the next message.
    pub fn message(&mut self) -> Vec<u8> {
        // Half of the messages derive from `SEEDS`, the most common forms.
        let count = if self.random.once_in(2) { SEEDS.len() } else { self.seeds.len() };
        let mut message = self.random.pick(&self.seeds[..count]).clone();
        let max_changes = if self.random.once_in(5) { 6 } else { 2 };
        let changes = 1 + self.random.below(max_changes);
        for _ in 0..changes {
            self.change(&mut message);
        }
        if self.random.once_in(12) {
            message = self.batch(&message);
        }
        message
    }

    fn change(&mut self, message: &mut Vec<u8>) {
        match self.random.below(24) {
            0 => self.replace_byte(message),
            1 | 2 => self.insert_token(message),
            3 => drop(message.drain(self.random.range(message.len()))),
            4 => self.duplicate(message),
            5 => self.splice(message),
            6 => message.truncate(self.random.below(message.len() + 1)),
            // The changes below mostly keep valid JSON valid.
            7 if self.random.once_in(10) => self.deepen(message),
            8..=14 => self.shuffle_members(message),
            15..=17 => self.escape(message),
            18..=20 => self.space(message),
            _ => self.replace_value(message),
        }
    }

    fn replace_byte(&mut self, message: &mut [u8]) {
        if !message.is_empty() {
            let at = self.random.below(message.len());
            let any = self.random.number().to_le_bytes()[3];
            message[at] = if self.random.once_in(2) { any } else { self.random.pick(&TOKENS)[0] };
        }
    }

    fn insert_token(&mut self, message: &mut Vec<u8>) {
        let at = self.random.below(message.len() + 1);
        message.splice(at..at, self.random.pick(&TOKENS).iter().copied());
    }

    fn duplicate(&mut self, message: &mut Vec<u8>) {
        let slice = message[self.random.range(message.len())].to_vec();
        let at = self.random.below(message.len() + 1);
        message.splice(at..at, slice);
    }

    /// Swaps, duplicates, removes or inserts a member of the envelope.
    fn shuffle_members(&mut self, message: &mut Vec<u8>) {
        let members = members(message);
        let (Some(first), Some(last)) = (members.first(), members.last()) else { return };
        let whole = first.start..last.end;
        let mut texts: Vec<Vec<u8>> = members.iter().map(|member| message[member.clone()].to_vec()).collect();
        let (one, other) = (self.random.below(texts.len()), self.random.below(texts.len()));
        match self.random.below(6) {
            0 => texts.insert(other, texts[one].clone()),
            1 => drop(texts.remove(one)),
            2 => texts.insert(one, self.random.pick(&MEMBERS).to_vec()),
            _ => texts.swap(one, other),
        }
        message.splice(whole, texts.join(&b','));
    }

    /// Joins the beginning of this message and the end of another seed.
    fn splice(&mut self, message: &mut Vec<u8>) {
        let other = self.random.pick(&self.seeds);
        let (at, from) = (self.random.below(message.len() + 1), self.random.below(other.len() + 1));
        message.truncate(at);
        message.extend_from_slice(&other[from..]);
    }

    /// Escapes a letter of a member name or a string.
    fn escape(&mut self, message: &mut Vec<u8>) {
        let is_letter = |at: &usize| message[at - 1..=*at].iter().all(u8::is_ascii_lowercase);
        let letters: Vec<usize> = (1..message.len()).filter(is_letter).collect();
        if !letters.is_empty() {
            let at = *self.random.pick(&letters);
            let escape = format!("\\u{:04x}", message[at]);
            message.splice(at..=at, escape.into_bytes());
        }
    }

    /// Inserts white space beside a structural character.
    fn space(&mut self, message: &mut Vec<u8>) {
        let structural: Vec<usize> = (0..message.len()).filter(|at| b"{}[],:".contains(&message[*at])).collect();
        if !structural.is_empty() {
            let at = self.random.pick(&structural) + self.random.below(2);
            message.splice(at..at, self.random.pick(&[" ", "\t", "\n", "\r", "  "]).bytes());
        }
    }

    /// Nests a value about as deep as the default limit allows.
    fn deepen(&mut self, message: &mut Vec<u8>) {
        let values = values(message);
        if !values.is_empty() {
            let value = self.random.pick(&values).clone();
            let count = 122 + self.random.below(8);
            let deep = [&b"[".repeat(count), &message[value.clone()], &b"]".repeat(count)].concat();
            message.splice(value, deep);
        }
    }

    /// Replaces a value by another one.
    fn replace_value(&mut self, message: &mut Vec<u8>) {
        let values = values(message);
        if !values.is_empty() {
            let (value, other) = (self.random.pick(&values).clone(), self.random.pick(&values).clone());
            let other = if self.random.once_in(2) {
                message[other].to_vec()
            } else {
                self.random.pick(&VALUES).as_bytes().to_vec()
            };
            message.splice(value, other);
        }
    }

    /// Returns a batch of the message and up to three seeds.
    fn batch(&mut self, message: &[u8]) -> Vec<u8> {
        let mut members: Vec<&[u8]> = (0..self.random.below(4)).map(|_| &**self.random.pick(&self.seeds)).collect();
        members.insert(self.random.below(members.len() + 1), message);
        let separator = self.random.pick(&[",", " , ", ",", ",\n"]).as_bytes();
        [b"[", &*members.join(separator), b"]"].concat()
    }
}

/// Returns the ranges of the members of the first object.
fn members(message: &[u8]) -> Vec<Range<usize>> {
    let Some(open) = message.iter().position(|byte| *byte == b'{') else { return vec![] };
    let mut members = vec![];
    let (mut start, mut depth, mut in_string, mut is_escaped) = (open + 1, 0, false, false);
    for (at, byte) in message.iter().enumerate().skip(open + 1) {
        match (in_string, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => depth += 1,
            (false, b'}') if depth == 0 => {
                members.push(start..at);
                break;
            }
            (false, b',') if depth == 0 => {
                members.push(start..at);
                start = at + 1;
            }
            (false, b']' | b'}') => depth -= 1,
            _ => {}
        }
    }
    members
}

/// Returns the ranges of the values that follow a colon, an opening bracket or a comma. The end of each is a guess:
/// the next comma or closing bracket at the same depth, outside a string.
fn values(message: &[u8]) -> Vec<Range<usize>> {
    let begins = |at: &usize| *at > 0 && b":[,".contains(&message[at - 1]);
    (0..message.len()).filter(begins).map(|at| at..value_end(message, at)).filter(|value| !value.is_empty()).collect()
}

fn value_end(message: &[u8], start: usize) -> usize {
    let (mut depth, mut in_string, mut is_escaped) = (0, false, false);
    for (at, byte) in message.iter().enumerate().skip(start) {
        match (in_string, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => depth += 1,
            (false, b',' | b']' | b'}') if depth == 0 => return at,
            (false, b']' | b'}') => depth -= 1,
            _ => {}
        }
    }
    message.len()
}
