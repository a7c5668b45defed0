//! The one door of the tests: a request, and the reply that it must get.

use crate::task::now;
use rpc_core::Server;
use rpc_core::server::Service;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Sends `request` and compares the response with `reply`; an empty `reply` is no response at all.
///
/// Ids and results are compared to the letter. Of an error only what `reply` says about it is
/// compared, so that `{"code":-32600}` leaves its message and data free.
///
/// # Panics
///
/// When the response is another, or does not come though everything that it waits for has happened.
#[track_caller]
pub fn check<S: Service>(server: &Server<S>, request: impl AsRef<[u8]>, expected: &str) {
    let request = request.as_ref();
    let response = now(server.handle(request)).unwrap_or_default();
    let head = |text: &str| text.chars().take(1000).collect::<String>();
    assert!(
        is_same(expected, &response),
        "{}\nwants {}\ngot   {}",
        head(&String::from_utf8_lossy(request)),
        head(expected),
        head(&response)
    );
}

/// The response with a result, as text.
#[must_use]
pub fn result(result: &str, id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#)
}

/// The response with an error of this code, as text for [`check`].
#[must_use]
pub fn error(code: i64, id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code}}},"id":{id}}}"#)
}

/// The one response to whatever fails inside: nothing but this is ever told.
#[must_use]
pub fn internal_error(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32603,"message":"Internal error"}},"id":{id}}}"#)
}

/// Whether `response` is what `wanted` says.
#[must_use]
pub fn is_same(wanted: &str, response: &str) -> bool {
    if !wanted.starts_with('[') {
        return wanted == response || is_same_one(wanted, response);
    }
    let (Ok(wanted), Ok(response)) =
        (serde_json::from_str::<Vec<&RawValue>>(wanted), serde_json::from_str::<Vec<&RawValue>>(response))
    else {
        return false;
    };
    wanted.len() == response.len()
        && wanted.iter().zip(response).all(|(wanted, response)| is_same_one(wanted.get(), response.get()))
}

fn is_same_one(wanted: &str, response: &str) -> bool {
    let (Some(wanted), Some(response)) = (members(wanted), members(response)) else { return false };
    let is_error = |wanted: &str, response: &str| match (members(wanted), members(response)) {
        (Some(wanted), Some(response)) => {
            wanted.iter().all(|(name, value)| response.get(name).is_some_and(|other| other.get() == value.get()))
        }
        _ => false,
    };
    wanted.len() == response.len()
        && wanted.iter().all(|(name, value)| {
            response.get(name).is_some_and(|other| match *name {
                "error" => is_error(value.get(), other.get()),
                _ => value.get() == other.get(),
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
    fn only_the_same_answer_is_the_same() {
        let full = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"m","data":1},"id":1}"#;
        assert!(is_same(&error(-32600, "1"), full));
        assert!(is_same(&format!("[{}]", error(-32600, "1")), &format!("[{full}]")));
        assert!(is_same("", ""));
        for (wanted, response) in [
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
            assert!(!is_same(&wanted, response), "{wanted} {response}");
        }
    }
}
