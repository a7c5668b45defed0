//! What a message is owed, found out in the plainest way: no reader of the library has part in it.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// How deep a message may be.
const DEPTH: usize = 127;

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owed {
    /// None.
    Nothing,
    /// This error, under this id.
    Error(i64, String),
    /// What the method says or why it was not called, under this id.
    Outcome(String),
}

/// What a message as a whole is owed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whole {
    /// One answer at most.
    One(Owed),
    /// An array of answers, or nothing when there are none.
    Batch(Vec<Owed>),
}

/// What is owed for `message`, when the methods of these names are served.
#[must_use]
pub fn owed(message: &[u8], names: &[String]) -> Whole {
    let text = std::str::from_utf8(message).ok();
    let value = text.and_then(|text| serde_json::from_str::<&RawValue>(text).ok());
    let Some(value) = value.map(RawValue::get).filter(|value| depth(value) <= DEPTH) else {
        return Whole::One(Owed::Error(-32700, "null".to_owned()));
    };
    match serde_json::from_str::<Vec<&RawValue>>(value) {
        Ok(members) if (1..=1_000).contains(&members.len()) => {
            Whole::Batch(members.into_iter().map(|member| of_value(member.get(), names)).collect())
        }
        Ok(_) => Whole::One(Owed::Error(-32600, "null".to_owned())),
        Err(_) => Whole::One(of_value(value, names)),
    }
}

fn of_value(value: &str, names: &[String]) -> Owed {
    let Ok(Members(members)) = serde_json::from_str(value) else {
        return Owed::Error(-32600, "null".to_owned());
    };
    let all = |name: &str| -> Vec<&str> {
        members.iter().filter(|(known, _)| known.as_deref() == Some(name)).map(|(_, value)| *value).collect()
    };
    let [versions, methods, params, ids, results, errors] =
        ["jsonrpc", "method", "params", "id", "result", "error"].map(all);
    if methods.is_empty() && !(results.is_empty() && errors.is_empty()) {
        return Owed::Nothing;
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
        _ if !is_valid => Owed::Error(-32600, id),
        _ if ids.is_empty() => Owed::Nothing,
        Some(name) if names.contains(&name) => Owed::Outcome(id),
        _ => Owed::Error(-32601, id),
    }
}

/// Names that a Rust string can hold, and values.
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

/// How many brackets are open at once in JSON, at most.
fn depth(json: &str) -> usize {
    let (mut open, mut most, mut in_string, mut is_escaped) = (0, 0, false, false);
    for byte in json.bytes() {
        match (in_string, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => {
                open += 1;
                most = most.max(open);
            }
            (false, b']' | b'}') => open -= 1,
            _ => {}
        }
    }
    most
}
