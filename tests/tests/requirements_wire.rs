//! The messages on the wire, with the inputs of the requirements.

use rpc_core::Server;
use rpc_core::client::{PendingCalls, Received};
use rpc_core::server::Service;
use rpc_core::wire::{Id, Message};
use tests::check::{check, error, result};
use tests::counting_service::{TClient, server};
use tests::task::now;

const SUM: &str = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;

/// Serves a session of lines and returns the output.
fn session<S: Service>(server: &Server<S>, lines: &[&str]) -> String {
    let mut output = vec![];
    server.serve_lines(format!("{}\n", lines.join("\n")).as_bytes(), &mut output).expect("memory never fails");
    String::from_utf8(output).expect("JSON is UTF-8")
}

// R01
#[test]
fn an_escaped_character_equals_the_character() {
    let (server, _) = server();
    for (request, id) in [
        (r#"{"jsonrpc":"2.0","id":7,"method":"math\/add","params":[1,2]}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"\u006dath/add","params":[1,2]}"#, "7"),
        (r#"{"jsonrpc":"2.0","\u0069d":7,"method":"math/add","params":[1,2]}"#, "7"),
        (r#"{"\u006asonrpc":"2\u002e0","id":7,"m\u0065thod":"math/add","p\u0061rams":[1,2]}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"math/add","params":{"\u0061":1,"b":2}}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":"a\u0062","method":"math\/add","params":[1,2]}"#, r#""a\u0062""#),
        (r#"{"jsonrpc":"2.0","id":"a\u0062","method":"math/add","params":[1,2]}"#, r#""a\u0062""#),
    ] {
        let text = now(server.handle(request)).expect("a response");
        let Message::Response(response) = Message::read(&text) else { panic!("{text}") };
        assert_eq!(response.id, Id::from_token(id).expect("an id"), "{request}");
        assert_eq!(response.outcome.expect("a result").get(), "3", "{request}");
    }
}

// R02
#[test]
fn the_server_ignores_unknown_members() {
    let (server, counting) = server();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2],"traceparent":"00-ab-cd-00"}"#;
    check(&server, request, &result("3", "1"));
    check(&server, format!("[{request},{request}]"), &format!("[{0},{0}]", result("3", "1")));
    let twice = r#"{"x":1,"jsonrpc":"2.0","x":[{}],"id":1,"method":"add","ID":null,"params":[1,2],"x":1}"#;
    check(&server, twice, &result("3", "1"));
    assert_eq!(counting.runs(), 4);
    check(&server, r#"{"jsonrpc":"2.0","method":"note","params":[1],"traceparent":"00-ab-cd-00"}"#, "");
    assert_eq!(counting.runs(), 1);
}

// R02
#[test]
fn the_client_ignores_unknown_members() {
    let mut calls = PendingCalls::new();
    let (id, _) = calls.call("add", &[1, 2]).expect("plain data");
    let events = calls.receive(br#"{"jsonrpc":"2.0","result":3,"id":1,"traceparent":"00-ab-cd-00"}"#);
    let [Received::Response { id: completed, outcome: Ok(result) }] = &events[..] else { panic!("{events:?}") };
    assert_eq!((*completed, result.get()), (id, "3"));
}

// R03
#[test]
fn garbage_between_two_valid_messages_gets_one_error() {
    let (server, _) = server();
    let responses = session(&server, &[SUM, "not json", SUM]);
    let responses: Vec<_> = responses.lines().collect();
    let [first, garbage, second] = responses[..] else { panic!("{responses:?}") };
    assert_eq!([first, second], [result("3", "1"), result("3", "1")]);
    assert!(tests::check::is_same(&error(-32700, "null"), garbage), "{garbage}");
}

// R05
#[test]
fn an_id_of_an_invalid_type_is_refused_and_nothing_runs() {
    let (server, counting) = server();
    for id in ["[]", "{}", "true", "false", "[1]", r#"{"id":1}"#] {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"add","params":[1,2],"id":{id}}}"#);
        check(&server, &request, &error(-32600, "null"));
        check(&server, format!("[{request}]"), &format!("[{}]", error(-32600, "null")));
        assert_eq!(counting.runs(), 0);
        check(&server, format!("[{SUM},{request}]"), &format!("[{},{}]", result("3", "1"), error(-32600, "null")));
        assert_eq!(counting.runs(), 1);
    }
}

// R06
#[test]
fn a_response_repeats_the_id_unchanged() {
    let (server, _) = server();
    for id in [
        "0",
        "-1",
        "2147483648",
        "9007199254740993",
        "18446744073709551615",
        "9223372036854775808",
        "1.5",
        "1e2",
        "1.0",
        "-0",
        "18446744073709551616",
        "123456789012345678901234567890",
        "1e400",
        r#""""#,
        r#""1""#,
    ] {
        check(&server, format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"add","params":[1,2]}}"#), &result("3", id));
        check(&server, format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"nope"}}"#), &error(-32601, id));
        check(&server, format!(r#"{{"jsonrpc":"2.0","id":{id},"method":1}}"#), &error(-32600, id));
    }
}

// R07
#[test]
fn a_request_is_a_notification_only_without_an_id() {
    let (server, counting) = server();
    check(&server, r#"{"jsonrpc":"2.0","id":null,"method":"add","params":[1,2]}"#, &result("3", "null"));
    check(&server, r#"{"jsonrpc":"2.0","id":null,"method":"nope"}"#, &error(-32601, "null"));
    assert_eq!(counting.runs(), 1);
    check(&server, r#"{"jsonrpc":"2.0","method":"add","params":[1,2]}"#, "");
    assert_eq!(counting.runs(), 1);
}

// R13
#[test]
fn an_invalid_batch_member_gets_its_own_error() {
    let (server, _) = server();
    let first = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;
    let second = r#"{"jsonrpc":"2.0","id":2,"method":"add","params":[3,4]}"#;
    let (three, seven, refused) = (result("3", "1"), result("7", "2"), error(-32600, "null"));
    for bad in ["1", "null", "[]", r#""x""#, "{}", "true", "-1.5e3", r#"["2.0","add",[1,2],1]"#, r#"{"foo":"boo"}"#] {
        check(&server, format!("[{first},{bad},{second}]"), &format!("[{three},{refused},{seven}]"));
        check(&server, format!("[{bad},{first},{second}]"), &format!("[{refused},{three},{seven}]"));
        check(&server, format!("[{first},{second},{bad}]"), &format!("[{three},{seven},{refused}]"));
        check(&server, format!("[{bad}]"), &format!("[{refused}]"));
        check(&server, format!(" [ {bad} , {bad} ] "), &format!("[{refused},{refused}]"));
    }
}

// R14
#[test]
fn an_empty_batch_gets_one_error_and_a_batch_of_notifications_no_response() {
    let (server, counting) = server();
    check(&server, "[]", &error(-32600, "null"));
    check(&server, " [ \t] ", &error(-32600, "null"));
    let note = r#"{"jsonrpc":"2.0","method":"note","params":[1]}"#;
    check(&server, format!("[{note},{note}]"), "");
    assert_eq!(counting.runs(), 2);
    assert_eq!(session(&server, &["[]", &format!("[{note},{note}]"), SUM]).lines().count(), 2);
    check(&server, SUM, &result("3", "1"));
}

// R17
#[test]
fn a_notification_has_no_response() {
    let (server, counting) = server();
    for (notification, runs) in [
        (r#"{"jsonrpc":"2.0","method":"nope"}"#, 0),
        (r#"{"jsonrpc":"2.0","method":"note","params":{"wrong":1}}"#, 0),
        (r#"{"jsonrpc":"2.0","method":"note","params":["x"]}"#, 0),
        (r#"{"jsonrpc":"2.0","method":"note"}"#, 0),
        (r#"{"jsonrpc":"2.0","method":"refuse"}"#, 1),
        (r#"{"jsonrpc":"2.0","method":"explode"}"#, 1),
        (r#"{"jsonrpc":"2.0","method":"add","params":[1,2]}"#, 1),
        (r#"{"jsonrpc":"2.0","method":"note","params":[1]}"#, 1),
    ] {
        check(&server, notification, "");
        assert_eq!(counting.runs(), runs, "{notification}");
        check(&server, format!("[{notification},{notification}]"), "");
        assert_eq!(counting.runs(), 2 * runs, "{notification}");
        assert_eq!(session(&server, &[notification, SUM]), format!("{}\n", result("3", "1")));
        assert_eq!(counting.runs(), runs + 1, "{notification}");
    }
}

// R17
#[test]
fn an_invalid_request_without_an_id_gets_an_error() {
    let (server, _) = server();
    for invalid in [
        r#"{"jsonrpc":"2.0","method":1}"#,
        r#"{"method":"note","params":[1]}"#,
        r#"{"jsonrpc":"1.0","method":"note","params":[1]}"#,
        r#"{"jsonrpc":2.0,"method":"note","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"note","params":1}"#,
        r#"{"jsonrpc":"2.0"}"#,
        "{}",
    ] {
        check(&server, invalid, &error(-32600, "null"));
    }
}

// R17
#[test]
fn a_request_for_a_notification_method_gets_the_result_null() {
    let (server, counting) = server();
    check(&server, r#"{"jsonrpc":"2.0","id":1,"method":"note","params":[1]}"#, &result("null", "1"));
    assert_eq!(counting.runs(), 1);
}

// R18
#[test]
fn an_unknown_notification_is_ignored() {
    let unknown = r#"{"jsonrpc":"2.0","method":"other/didFocus","params":[]}"#;
    let (server, _) = server();
    assert_eq!(session(&server, &[unknown, SUM]), format!("{}\n", result("3", "1")));

    let mut calls = PendingCalls::new();
    let (id, _) = calls.call("add", &[1, 2]).expect("plain data");
    let events = calls.receive(unknown.as_bytes());
    let [Received::Notification(notification)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(notification.method, "other/didFocus");
    assert_eq!(calls.pending().collect::<Vec<_>>(), [id]);
}

// R20
#[test]
fn a_successful_response_always_has_a_result() {
    let (server, _) = server();
    for method in ["ping", "nothing", "null"] {
        check(&server, format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#), &result("null", "1"));
    }
    let client = TClient::new(server.caller());
    now(client.ping()).expect("a result");
    assert_eq!(now(client.nothing()).expect("a result"), None);
    assert!(now(client.null()).expect("a result").is_null());
}

// R20
#[test]
fn a_null_result_is_kept_when_a_response_is_read_and_written() {
    let text = result("null", "1");
    let Message::Response(response) = Message::read(&text) else { panic!("no response") };
    assert_eq!(serde_json::to_string(&response).expect("plain data"), text);
}
