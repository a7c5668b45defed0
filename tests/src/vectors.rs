//! The conformance vectors in `vectors/`.

use serde_json::{Map, Value};
use std::fs;
use std::path::Path;

/// One line of `vectors/server.jsonl`.
#[derive(Debug)]
pub struct ServerVector {
    /// The name of the vector.
    pub name: String,
    /// The message, not necessarily UTF-8.
    pub request: Vec<u8>,
    /// The expected response, as described in [`vector_check`](crate::vector_check).
    pub expect: Map<String, Value>,
    /// Is `true` if a line transport can carry the message.
    pub line: bool,
}

/// One line of `vectors/client.jsonl`.
#[derive(Debug)]
pub struct ClientVector {
    /// The name of the vector.
    pub name: String,
    /// The response. `$ID` stands for the id of the call, `$OTHER` for the same id as the other JSON type.
    pub body: String,
    /// The expected outcome of the call, in words.
    pub outcome: String,
}

/// Returns every line of `vectors/server.jsonl`.
///
/// # Panics
///
/// Panics if the file is malformed.
#[must_use]
pub fn server() -> Vec<ServerVector> {
    lines("server.jsonl")
        .map(|mut line| ServerVector {
            name: text(&line, "name"),
            request: match line.get("request_b64") {
                Some(encoded) => base64(encoded.as_str().expect("a string")),
                None => text(&line, "request").into_bytes(),
            },
            line: line.get("line").is_none_or(|line| line == true),
            expect: match line.remove("expect") {
                Some(Value::Object(expect)) => expect,
                other => panic!("no expectation: {other:?}"),
            },
        })
        .collect()
}

/// Returns every line of `vectors/client.jsonl`.
///
/// # Panics
///
/// Panics if the file is malformed.
#[must_use]
pub fn client() -> Vec<ClientVector> {
    lines("client.jsonl")
        .map(|line| ClientVector {
            name: text(&line, "name"),
            body: text(&line, "body"),
            outcome: text(&line, "outcome"),
        })
        .collect()
}

fn lines(file: &str) -> impl Iterator<Item = Map<String, Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(file);
    let all = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines: Vec<_> = all.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect();
    lines.into_iter()
}

fn text(line: &Map<String, Value>, member: &str) -> String {
    line[member].as_str().unwrap_or_else(|| panic!("`{member}` of {line:?}")).to_owned()
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = ALPHABET.iter().position(|known| *known == letter).expect("base64");
        bits = bits << 6 | u32::try_from(value).expect("below 64");
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xff) as u8);
        }
    }
    out
}
