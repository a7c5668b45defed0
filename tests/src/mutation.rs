//! Messages that are nearly right: seeds, changed a little.

use crate::random::Random;
use crate::seeds::SEEDS;
use crate::{json_test_suite, vectors};
use std::ops::Range;

/// What is put where it does harm.
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

/// Members that are put between others.
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

/// Values that are put in place of others.
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

/// Makes one message after another.
#[derive(Debug)]
pub struct Mutations {
    random: Random,
    seeds: Vec<Vec<u8>>,
}

impl Mutations {
    /// Of [`SEEDS`], all vectors, and the suite's small files if they are there.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut seeds: Vec<Vec<u8>> = SEEDS.iter().map(|seed| seed.as_bytes().to_vec()).collect();
        seeds.extend(vectors::server().into_iter().map(|vector| vector.request));
        seeds.extend(vectors::client().into_iter().map(|vector| vector.body.replace("$ID", "1").into_bytes()));
        for file in json_test_suite::files().unwrap_or_default() {
            if !file.name.starts_with("n_") {
                seeds.push(json_test_suite::within("raw", &file.text));
            }
        }
        seeds.retain(|seed| seed.len() < 1_500);
        Mutations { random: Random::new(seed), seeds }
    }

    /// The next message.
    pub fn message(&mut self) -> Vec<u8> {
        // The listed ones, which are the most usual, come half of the time.
        let most = if self.random.once_in(2) { SEEDS.len() } else { self.seeds.len() };
        let mut message = self.random.pick(&self.seeds[..most]).clone();
        let most = if self.random.once_in(5) { 6 } else { 2 };
        let changes = 1 + self.random.below(most);
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
            // What follows leaves JSON what it was, for the most part.
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

    /// Swaps two members of the envelope, gives one twice, leaves one out or puts one in.
    fn shuffle_members(&mut self, message: &mut Vec<u8>) {
        let members = members(message);
        let (Some(first), Some(last)) = (members.first(), members.last()) else { return };
        let whole = first.start..last.end;
        let mut parts: Vec<Vec<u8>> = members.iter().map(|member| message[member.clone()].to_vec()).collect();
        let (one, other) = (self.random.below(parts.len()), self.random.below(parts.len()));
        match self.random.below(6) {
            0 => parts.insert(other, parts[one].clone()),
            1 => drop(parts.remove(one)),
            2 => parts.insert(one, self.random.pick(&MEMBERS).to_vec()),
            _ => parts.swap(one, other),
        }
        message.splice(whole, parts.join(&b','));
    }

    /// The beginning of this message and the end of another one.
    fn splice(&mut self, message: &mut Vec<u8>) {
        let other = self.random.pick(&self.seeds);
        let (at, from) = (self.random.below(message.len() + 1), self.random.below(other.len() + 1));
        message.truncate(at);
        message.extend_from_slice(&other[from..]);
    }

    /// Spells a letter of a name or a string as an escape.
    fn escape(&mut self, message: &mut Vec<u8>) {
        let is_letter = |at: &usize| message[at - 1..=*at].iter().all(u8::is_ascii_lowercase);
        let letters: Vec<usize> = (1..message.len()).filter(is_letter).collect();
        if !letters.is_empty() {
            let at = *self.random.pick(&letters);
            let escape = format!("\\u{:04x}", message[at]);
            message.splice(at..=at, escape.into_bytes());
        }
    }

    /// Puts white space beside something that white space may stand beside.
    fn space(&mut self, message: &mut Vec<u8>) {
        let marks: Vec<usize> = (0..message.len()).filter(|at| b"{}[],:".contains(&message[*at])).collect();
        if !marks.is_empty() {
            let at = self.random.pick(&marks) + self.random.below(2);
            message.splice(at..at, self.random.pick(&[" ", "\t", "\n", "\r", "  "]).bytes());
        }
    }

    /// Puts brackets around a slice, as many as may be, or one more or less.
    fn deepen(&mut self, message: &mut Vec<u8>) {
        let values = values(message);
        if !values.is_empty() {
            let value = self.random.pick(&values).clone();
            let count = 122 + self.random.below(8);
            let deep = [&b"[".repeat(count), &message[value.clone()], &b"]".repeat(count)].concat();
            message.splice(value, deep);
        }
    }

    /// Puts a value in place of another one.
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

    /// A batch of a message and others.
    fn batch(&mut self, message: &[u8]) -> Vec<u8> {
        let mut members: Vec<&[u8]> = (0..self.random.below(4)).map(|_| &**self.random.pick(&self.seeds)).collect();
        members.insert(self.random.below(members.len() + 1), message);
        let separator = self.random.pick(&[",", " , ", ",", ",\n"]).as_bytes();
        [b"[", &*members.join(separator), b"]"].concat()
    }
}

/// Where the members of the first object are.
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

/// Where values are that follow a colon, an opening bracket or a comma, as far as one can tell by
/// looking for the end of a word, a string or a bracket.
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
