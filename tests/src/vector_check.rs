//! Comparison of a response with the expectation of a server vector. Ids and numbers are compared as text, never as
//! floats.

use rpc_core::wire::{Id, Incoming, Message};
use serde_json::{Map, Value};

/// Compares the response to `request` with the expectation. `None` means that no response was sent.
///
/// # Errors
///
/// Returns the difference, in words.
pub fn check_response(request: &[u8], expect: &Map<String, Value>, response: Option<&str>) -> Result<(), String> {
    if expect.contains_key("none") {
        return match response {
            None => Ok(()),
            Some(response) => Err(format!("expected no response, got {response}")),
        };
    }
    let response = response.ok_or("no response")?;
    match (expect.get("batch"), Incoming::read(response.as_bytes())) {
        (Some(Value::Array(expected)), Incoming::Batch(batch)) => {
            if batch.members().len() != expected.len() {
                return Err(format!("{} responses, expected {}: {response}", batch.members().len(), expected.len()));
            }
            // Responses come in the order of the requests.
            for (member, expected) in batch.members().iter().zip(expected) {
                check_member(request, expected.as_object().ok_or("no object")?, member)
                    .map_err(|error| format!("{error}: {response}"))?;
            }
            Ok(())
        }
        (None, Incoming::Message(message)) => {
            check_member(request, expect, &message).map_err(|error| format!("{error}: {response}"))
        }
        _ => Err(format!("an array for a single request, or the reverse: {response}")),
    }
}

fn check_member(request: &[u8], expect: &Map<String, Value>, message: &Message<'_>) -> Result<(), String> {
    let Message::Response(response) = message else { return Err(format!("not a valid response: {message:?}")) };
    let id = expect["id_raw"].as_str().ok_or("no id_raw")?;
    let id = Id::from_token(id).map_err(|error| error.to_string())?;
    if response.id != id {
        return Err(format!("the id is {}, expected {id}", response.id));
    }
    // Numbers keep their spelling; strings compare as JSON strings.
    if !id.as_token().starts_with('"') && response.id.as_token() != id.as_token() {
        return Err(format!("the id is spelled {}, expected {id}", response.id));
    }
    let expected =
        ["result", "result_raw", "echo", "error", "any_error"].into_iter().find_map(|key| expect.get_key_value(key));
    let matches = match (expected.map(|(key, value)| (key.as_str(), value)), &response.outcome) {
        (Some(("result", value)), Ok(result)) => {
            serde_json::from_str::<Value>(result.get()).is_ok_and(|result| result == *value)
        }
        (Some(("result_raw", raw)), Ok(result)) => Some(result.get()) == raw.as_str(),
        (Some(("echo", _)), Ok(result)) => {
            let sent: Value = serde_json::from_slice(request).map_err(|error| error.to_string())?;
            serde_json::from_str::<Value>(result.get()).is_ok_and(|result| result == sent["params"][0])
        }
        (Some(("error", code)), Err(error)) => Some(error.code) == code.as_i64(),
        (Some(("any_error", _)), Err(_)) => true,
        _ => false,
    };
    if matches { Ok(()) } else { Err(format!("expected {expect:?}, got {:?}", response.outcome)) }
}
