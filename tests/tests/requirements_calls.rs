//! The client without I/O: each response is paired with its call, and nothing else is.

use rpc_core::ClientError;
use rpc_core::client::{DiscardReason, PendingCalls, Received};
use rpc_core::wire::Reason;
use std::collections::BTreeMap;

#[test]
fn calls_are_numbered_from_1_and_unencodable_params_are_an_error() {
    let mut calls = PendingCalls::new();
    assert!(matches!(calls.call("f", &7), Err(ClientError::Encode(_))));
    assert!(matches!(calls.call("f", &BTreeMap::from([((1, 2), 3)])), Err(ClientError::Encode(_))));
    assert!(matches!(calls.notify("f", "text"), Err(ClientError::Encode(_))));
    assert_eq!(calls.pending().count(), 0);
    let (id, text) = calls.call("a\"b", &()).expect("plain data");
    assert_eq!((id, text.as_str()), (1, r#"{"jsonrpc":"2.0","method":"a\"b","id":1}"#));
    assert_eq!(calls.notify("f", &[1]).expect("plain data"), r#"{"jsonrpc":"2.0","method":"f","params":[1]}"#);
    assert_eq!(calls.call("f", &None::<[u8; 0]>).expect("plain data").0, 2);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [1, 2]);
}

/// Formats the events of a message.
fn format_events(events: &[Received<'_>]) -> Vec<String> {
    events
        .iter()
        .map(|event| match event {
            Received::Response { id, outcome: Ok(result) } => format!("{id} {}", result.get()),
            Received::Response { id, outcome: Err(object) } => format!("{id} error {}", object.code),
            Received::Failed { id, .. } => format!("{id} failed"),
            Received::Request(request) => format!("request {} {}", request.method, request.id),
            Received::Notification(notification) => format!("notification {}", notification.method),
            Received::Discarded(DiscardReason::UnknownId(id)) => format!("unknown {id}"),
            Received::Discarded(DiscardReason::NullId(object)) => format!("null {}", object.code),
            Received::Discarded(_) => "discarded".to_owned(),
        })
        .collect()
}

fn with_calls(count: usize) -> PendingCalls {
    let mut calls = PendingCalls::new();
    (0..count).for_each(|_| drop(calls.call("ask", &[1])));
    calls
}

fn response(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{id},"id":{id}}}"#)
}

// R15, R57
#[test]
fn responses_are_paired_with_their_calls_in_any_order() {
    let mut calls = with_calls(4);
    let batch = format!("[{},{},{},{}]", response("4"), response("3"), response("2"), response("1"));
    assert_eq!(format_events(&calls.receive(batch.as_bytes())), ["4 4", "3 3", "2 2", "1 1"]);
    assert_eq!(calls.pending().count(), 0);

    let mut calls = with_calls(3);
    let huge = "123456789012345678901234567890";
    let batch =
        format!("[{},{},{},{},{}]", response("3"), response("3"), response(huge), response("1e0"), response("4"));
    let expected = ["3 3", "unknown 3", &format!("unknown {huge}"), "1 1e0", "unknown 4"];
    assert_eq!(format_events(&calls.receive(batch.as_bytes())), expected);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [2]);
    assert_eq!(format_events(&calls.receive(response("2.0").as_bytes())), ["2 2.0"]);
}

// R57
#[test]
fn a_message_that_matches_no_call_leaves_all_calls_pending() {
    let mut calls = with_calls(2);
    for (message, event) in [
        (response(r#""1""#), r#"unknown "1""#),
        (response("99999"), "unknown 99999"),
        (response("-1"), "unknown -1"),
        (response("1.5"), "unknown 1.5"),
        (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#.to_owned(), "null -32700"),
        (response("null"), "unknown null"),
        (r#"{"jsonrpc":"2.0","result":1}"#.to_owned(), "discarded"),
        (r#"{"jsonrpc":"2.0","result":1,"id":[1]}"#.to_owned(), "discarded"),
        (r#"{"jsonrpc":"2.0","result":1,"id":1,"id":1}"#.to_owned(), "discarded"),
        (String::new(), "discarded"),
        ("not json".to_owned(), "discarded"),
        ("[]".to_owned(), "discarded"),
        ("7".to_owned(), "discarded"),
    ] {
        assert_eq!(format_events(&calls.receive(message.as_bytes())), [event], "{message}");
    }
    assert_eq!(format_events(&calls.receive(b"\xff")), ["discarded"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn ids_of_requests_of_the_peer_do_not_clash_with_own_ids() {
    let mut calls = with_calls(1);
    let batch = br#"[{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"b"}]"#;
    assert_eq!(format_events(&calls.receive(batch)), ["request a 1", "notification b"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [1]);
}

#[test]
fn an_invalid_response_with_the_id_of_a_call_fails_that_call() {
    for text in [
        r#"{"jsonrpc":"2.0","id":2}"#,
        r#"{"jsonrpc":"2.0","error":7,"id":2}"#,
        r#"{"jsonrpc":"2.0","result":1,"error":{"code":1,"message":""},"id":2}"#,
        r#"{"jsonrpc":"2.0","result":1,"result":1,"id":2}"#,
    ] {
        let mut calls = with_calls(3);
        let events = calls.receive(text.as_bytes());
        let [Received::Failed { id: 2, error }] = &events[..] else { panic!("{events:?}") };
        assert_eq!(error.text, text);
        assert_eq!(calls.pending().collect::<Vec<_>>(), [1, 3]);
    }
}

// R23
#[test]
fn the_late_response_to_a_forgotten_call_matches_no_call() {
    let mut calls = with_calls(2);
    assert!(calls.forget(1));
    assert!(!calls.forget(1));
    assert!(!calls.forget(99));
    assert_eq!(format_events(&calls.receive(response("1").as_bytes())), ["unknown 1"]);
    assert_eq!(format_events(&calls.receive(response("2").as_bytes())), ["2 2"]);
    assert_eq!(calls.call("ask", &()).expect("plain data").0, 3);
}

#[test]
fn an_invalid_request_of_the_peer_completes_no_call() {
    for (request, reason) in [
        (r#"{"jsonrpc":"2.0","method":1,"id":1}"#, Reason::MethodNotString),
        (r#"{"jsonrpc":"1.0","method":"a","id":1}"#, Reason::Version),
        (r#"{"jsonrpc":"2.0","method":"a","params":7,"id":1}"#, Reason::ParamsNotStructured),
    ] {
        let mut calls = PendingCalls::new();
        let (id, _) = calls.call("ask", &[1]).expect("plain data");
        let events = calls.receive(request.as_bytes());
        assert!(
            matches!(&events[..], [Received::Discarded(DiscardReason::Invalid(error))] if error.reason == reason),
            "{events:?}"
        );
        assert_eq!(calls.pending().collect::<Vec<_>>(), [id]);
    }
}

#[test]
fn an_invalid_batch_member_is_reported_without_the_others() {
    let mut calls = PendingCalls::new();
    for _ in 0..2 {
        calls.call("ask", &[1]).expect("plain data");
    }
    let bad = r#"{"jsonrpc":"2.0","error":7,"id":1}"#;
    let batch = format!(r#"[{bad},{{"jsonrpc":"2.0","result":1,"id":2}}]"#);
    let events = calls.receive(batch.as_bytes());
    let [Received::Failed { id: 1, error }, _] = &events[..] else { panic!("{events:?}") };
    assert_eq!(error.text, bad);
}
