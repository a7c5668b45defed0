//! The response that a message must get by the specification, computed without the readers of the library.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The default limit for the depth of a message.
const MAX_DEPTH: usize = 127;

/// The response to a single message or to a member of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No response.
    NoResponse,
    /// An error with this code and this id.
    Error(i64, String),
    /// The outcome of the method, or -32602, with this id.
    Outcome(String),
}

/// The response to a whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedOutput {
    /// At most one response.
    Single(Expected),
    /// An array of responses, or no response if all members get none.
    Batch(Vec<Expected>),
}

/// Returns the response that `message` must get from a server of these methods.
#[must_use]
pub fn expected_response(message: &[u8], methods: &[String]) -> ExpectedOutput {
    let text = std::str::from_utf8(message).ok();
    let value = text.and_then(|text| serde_json::from_str::<&RawValue>(text).ok());
    let Some(value) = value.map(RawValue::get).filter(|value| depth(value) <= MAX_DEPTH) else {
        return ExpectedOutput::Single(Expected::Error(-32700, "null".to_owned()));
    };
    match serde_json::from_str::<Vec<&RawValue>>(value) {
        Ok(members) if (1..=1_000).contains(&members.len()) => {
            ExpectedOutput::Batch(members.into_iter().map(|member| for_value(member.get(), methods)).collect())
        }
        Ok(_) => ExpectedOutput::Single(Expected::Error(-32600, "null".to_owned())),
        Err(_) => ExpectedOutput::Single(for_value(value, methods)),
    }
}

fn for_value(value: &str, served: &[String]) -> Expected {
    let Ok(Members(members)) = serde_json::from_str(value) else {
        return Expected::Error(-32600, "null".to_owned());
    };
    let all = |name: &str| -> Vec<&str> {
        members.iter().filter(|(member, _)| member.as_deref() == Some(name)).map(|(_, value)| *value).collect()
    };
    let [versions, methods, params, ids, results, errors] =
        ["jsonrpc", "method", "params", "id", "result", "error"].map(all);
    if methods.is_empty() && !(results.is_empty() && errors.is_empty()) {
        return Expected::NoResponse;
    }
    let is_id = |value: &str| !value.starts_with(['[', '{', 't', 'f']);
    let id = match ids[..] {
        [id] if is_id(id) => id.to_owned(),
        _ => "null".to_owned(),
    };
    let string = |token: &str| serde_json::from_str::<String>(token).ok();
    let is_valid = [&versions, &methods].into_iter().all(|member| member.len() == 1)
        && [&params, &ids].into_iter().all(|member| member.len() < 2)
        && string(versions[0]).as_deref() == Some("2.0")
        && methods[0].starts_with('"')
        && results.is_empty()
        && errors.is_empty()
        && params.iter().all(|params| params.starts_with(['[', '{', 'n']))
        && ids.iter().all(|id| is_id(id));
    match string(methods.first().unwrap_or(&"")) {
        _ if !is_valid => Expected::Error(-32600, id),
        _ if ids.is_empty() => Expected::NoResponse,
        Some(name) if served.contains(&name) => Expected::Outcome(id),
        _ => Expected::Error(-32601, id),
    }
}

/// The members of an object in order. A name that no Rust string can hold is `None`.
struct Members<'a>(Vec<(Option<String>, &'a str)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = vec![];
                while let Some((name, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    members.push((serde_json::from_str(name.get()).ok(), value.get()));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}

/// Returns the greatest number of brackets that are open at once.
fn depth(json: &str) -> usize {
    let (mut open, mut max, mut in_string, mut is_escaped) = (0, 0, false, false);
    for byte in json.bytes() {
        match (in_string, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => {
                open += 1;
                max = max.max(open);
            }
            (false, b']' | b'}') => open -= 1,
            _ => {}
        }
    }
    max
}
