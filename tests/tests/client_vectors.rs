//! Every vector of `vectors/client.jsonl`, received by the client without I/O.

use rpc_core::ErrorObject;
use rpc_core::client::{DiscardReason, PendingCalls, Received};
use tests::vectors;

#[test]
fn every_vector_has_the_expected_outcome() {
    for vector in vectors::client() {
        let mut calls = PendingCalls::new();
        let (id, _) = calls.call("ask", &[1]).expect("plain data");
        let body = vector.body.replace("$ID", &id.to_string()).replace("$OTHER", &format!("\"{id}\""));
        let mut events = calls.receive(body.as_bytes());
        let event = events.pop().expect("one event");
        assert!(events.is_empty(), "{}", vector.name);
        let is_completed = calls.pending().count() == 0;
        let (name, outcome) = (vector.name.as_str(), vector.outcome.as_str());
        match event {
            Received::Response { id: 1, outcome: Ok(result) } => {
                assert_eq!(outcome.strip_prefix("result "), Some(result.get()), "{name}");
                assert!(is_completed, "{name}");
            }
            Received::Response { id: 1, outcome: Err(ErrorObject { code, message, .. }) } => {
                assert_eq!(outcome, format!("error object {code} \"{message}\""), "{name}");
                assert!(is_completed, "{name}");
            }
            Received::Failed { id: 1, error } => {
                assert!(outcome.starts_with("protocol error"), "{name}: {error}");
                assert_eq!(error.text, body, "{name}");
                assert!(is_completed, "{name}");
            }
            // The vectors state other outcomes for responses that match no call, on a stream or over HTTP.
            Received::Discarded(reason) => {
                assert!(!is_completed, "{name}");
                let is_expected = match name {
                    "id_other_type" => matches!(&reason, DiscardReason::UnknownId(id) if id.as_token() == "\"1\""),
                    "id_null_error" => matches!(&reason, DiscardReason::NullId(object) if object.code == -32700),
                    "garbage" | "empty" => matches!(reason, DiscardReason::Invalid(_)),
                    _ => false,
                };
                assert!(is_expected, "{name}: {reason}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_response_without_an_id_completes_the_only_call_if_pairing_is_enabled() {
    let null_id = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    let without_id = r#"{"jsonrpc":"2.0","result":7}"#;
    for (response, count, pairs, completed) in [
        (null_id, 1, true, 1),
        (null_id, 1, false, 0),
        (null_id, 2, true, 0),
        (without_id, 1, true, 1),
        (without_id, 1, false, 0),
        (without_id, 2, true, 0),
        (r#"{"jsonrpc":"2.0","result":7,"id":null}"#, 1, true, 0),
    ] {
        let mut calls = if pairs { PendingCalls::new().pair_responses_without_id() } else { PendingCalls::new() };
        for _ in 0..count {
            calls.call("ask", &[1]).expect("plain data");
        }
        let events = calls.receive(response.as_bytes());
        let is_discarded = matches!(events[..], [Received::Discarded(_)]);
        let expected = (count - completed, completed == 0);
        assert_eq!((calls.pending().count(), is_discarded), expected, "{response} {count} {pairs}");
    }
}
