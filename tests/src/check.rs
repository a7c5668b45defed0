//! Assertions on responses: the request, and the response it must get.

use crate::task::now;
use rpc_core::Server;
use rpc_core::server::Service;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Sends `request` and compares the response with `expected`. An empty `expected` means no response.
///
/// Ids and results are compared as text. Of an error object only the members in `expected` are compared:
/// `{"code":-32600}` allows any message and data.
///
/// # Panics
///
/// Panics if the response differs, or if it is still pending when no future is woken any more.
#[track_caller]
pub fn check<S: Service>(server: &Server<S>, request: impl AsRef<[u8]>, expected: &str) {
    let request = request.as_ref();
    let response = now(server.handle(request)).unwrap_or_default();
    let truncated = |text: &str| text.chars().take(1000).collect::<String>();
    assert!(
        is_same(expected, &response),
        "{}\nexpected {}\ngot      {}",
        truncated(&String::from_utf8_lossy(request)),
        truncated(expected),
        truncated(&response)
    );
}

/// Returns a response with a result, as text.
#[must_use]
pub fn result(result: &str, id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#)
}

/// Returns a response with an error of this code, as text for [`check`].
#[must_use]
pub fn error(code: i64, id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code}}},"id":{id}}}"#)
}

/// Returns the response to an internal failure, complete: it never carries a detail.
#[must_use]
pub fn internal_error(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32603,"message":"Internal error"}},"id":{id}}}"#)
}

/// Returns whether `response` matches `expected`.
#[must_use]
pub fn is_same(expected: &str, response: &str) -> bool {
    if !expected.starts_with('[') {
        return expected == response || is_same_member(expected, response);
    }
    let (Ok(expected), Ok(response)) =
        (serde_json::from_str::<Vec<&RawValue>>(expected), serde_json::from_str::<Vec<&RawValue>>(response))
    else {
        return false;
    };
    expected.len() == response.len()
        && expected.iter().zip(response).all(|(expected, response)| is_same_member(expected.get(), response.get()))
}

fn is_same_member(expected: &str, response: &str) -> bool {
    let (Some(expected), Some(response)) = (members(expected), members(response)) else { return false };
    let is_error = |expected: &str, response: &str| match (members(expected), members(response)) {
        (Some(expected), Some(response)) => {
            expected.iter().all(|(name, value)| response.get(name).is_some_and(|actual| actual.get() == value.get()))
        }
        _ => false,
    };
    expected.len() == response.len()
        && expected.iter().all(|(name, value)| {
            response.get(name).is_some_and(|actual| match *name {
                "error" => is_error(value.get(), actual.get()),
                _ => value.get() == actual.get(),
            })
        })
}

fn members(text: &str) -> Option<BTreeMap<&str, &RawValue>> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::{error, is_same, result};

    #[test]
    fn only_an_equal_response_matches() {
        let full = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"m","data":1},"id":1}"#;
        assert!(is_same(&error(-32600, "1"), full));
        assert!(is_same(&format!("[{}]", error(-32600, "1")), &format!("[{full}]")));
        assert!(is_same("", ""));
        for (expected, response) in [
            (error(-32601, "1"), full),
            (error(-32600, "null"), full),
            (format!("[{}]", error(-32600, "1")), full),
            (error(-32600, "1"), "[]"),
            (result("1", "1"), full),
            (result("1", "1"), ""),
            (String::new(), full),
            (result("1", "1"), r#"{"jsonrpc":"2.0","result":1.0,"id":1}"#),
            (result("1", "1"), r#"{"jsonrpc":"2.0","result":1,"id":1,"x":1}"#),
            (result("1", "1"), r#"{"jsonrpc":"2.0","result":1,"id":"1"}"#),
        ] {
            assert!(!is_same(&expected, response), "{expected} {response}");
        }
    }
}
