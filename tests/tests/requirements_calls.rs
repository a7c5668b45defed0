//! The client without I/O: every reply finds its call, and nothing else does.

use rpc_core::ClientError;
use rpc_core::client::{DiscardReason, PendingCalls, Received};
use rpc_core::wire::Reason;
use std::collections::BTreeMap;

#[test]
fn a_client_without_io_numbers_its_calls_and_reports_what_it_cannot_encode() {
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

/// What a message was, in a few words.
fn told(events: &[Received<'_>]) -> Vec<String> {
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
            Received::Discarded(_) => "dropped".to_owned(),
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
fn replies_find_their_calls_in_any_order() {
    let mut calls = with_calls(4);
    let batch = format!("[{},{},{},{}]", response("4"), response("3"), response("2"), response("1"));
    assert_eq!(told(&calls.receive(batch.as_bytes())), ["4 4", "3 3", "2 2", "1 1"]);
    assert_eq!(calls.pending().count(), 0);

    let mut calls = with_calls(3);
    let huge = "123456789012345678901234567890";
    let batch =
        format!("[{},{},{},{},{}]", response("3"), response("3"), response(huge), response("1e0"), response("4"));
    let wanted = ["3 3", "unknown 3", &format!("unknown {huge}"), "1 1e0", "unknown 4"];
    assert_eq!(told(&calls.receive(batch.as_bytes())), wanted);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [2]);
    assert_eq!(told(&calls.receive(response("2.0").as_bytes())), ["2 2.0"]);
}

// R57
#[test]
fn what_no_call_can_claim_leaves_all_calls_waiting() {
    let mut calls = with_calls(2);
    for (message, event) in [
        (response(r#""1""#), r#"unknown "1""#),
        (response("99999"), "unknown 99999"),
        (response("-1"), "unknown -1"),
        (response("1.5"), "unknown 1.5"),
        (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#.to_owned(), "null -32700"),
        (response("null"), "unknown null"),
        (r#"{"jsonrpc":"2.0","result":1}"#.to_owned(), "dropped"),
        (r#"{"jsonrpc":"2.0","result":1,"id":[1]}"#.to_owned(), "dropped"),
        (r#"{"jsonrpc":"2.0","result":1,"id":1,"id":1}"#.to_owned(), "dropped"),
        (String::new(), "dropped"),
        ("not json".to_owned(), "dropped"),
        ("[]".to_owned(), "dropped"),
        ("7".to_owned(), "dropped"),
    ] {
        assert_eq!(told(&calls.receive(message.as_bytes())), [event], "{message}");
    }
    assert_eq!(told(&calls.receive(b"\xff")), ["dropped"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn requests_from_the_other_side_have_ids_of_their_own() {
    let mut calls = with_calls(1);
    let batch = br#"[{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"b"}]"#;
    assert_eq!(told(&calls.receive(batch)), ["request a 1", "notification b"]);
    assert_eq!(calls.pending().collect::<Vec<_>>(), [1]);
}

#[test]
fn a_reply_that_names_a_call_ends_it_even_if_it_cannot_be_read() {
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
fn a_forgotten_call_is_gone_and_its_late_reply_harmless() {
    let mut calls = with_calls(2);
    assert!(calls.forget(1));
    assert!(!calls.forget(1));
    assert!(!calls.forget(99));
    assert_eq!(told(&calls.receive(response("1").as_bytes())), ["unknown 1"]);
    assert_eq!(told(&calls.receive(response("2").as_bytes())), ["2 2"]);
    assert_eq!(calls.call("ask", &()).expect("plain data").0, 3);
}

#[test]
fn an_invalid_request_of_the_other_side_ends_no_call_of_ours() {
    for (request, reason) in [
        (r#"{"jsonrpc":"2.0","method":1,"id":1}"#, Reason::MethodNotString),
        (r#"{"jsonrpc":"1.0","method":"a","id":1}"#, Reason::Version),
        (r#"{"jsonrpc":"2.0","method":"a","params":7,"id":1}"#, Reason::ParamsNotStructured),
    ] {
        let mut calls = PendingCalls::new();
        let (id, _) = calls.call("ask", &[1]).expect("plain data");
        let events = calls.receive(request.as_bytes());
        assert!(
            matches!(&events[..], [Received::Discarded(DiscardReason::Invalid(why))] if why.reason == reason),
            "{events:?}"
        );
        assert_eq!(calls.pending().collect::<Vec<_>>(), [id]);
    }
}

#[test]
fn an_unreadable_member_of_a_batch_is_kept_without_the_others() {
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
