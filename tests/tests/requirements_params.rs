//! The decoding of params into arguments, with the inputs of the requirements.

use rpc_core::{Server, rpc};
use serde_json::Value;
use tests::check::{check, error, result};
use tests::counting_service;
use tests::task::now;

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

// R09
#[test]
fn optional_arguments_may_be_absent_or_null() {
    let (server, counting) = counting_service::server();
    for (params, got) in [
        ("[1]", "[1,null,null]"),
        ("[1,null]", "[1,null,null]"),
        ("[1,null,3]", "[1,null,3]"),
        ("[1,2,3]", "[1,2,3]"),
        (r#"{"a":1}"#, "[1,null,null]"),
        (r#"{"a":1,"c":3}"#, "[1,null,3]"),
        (r#"{"c":3,"a":1,"b":null}"#, "[1,null,3]"),
    ] {
        check(&server, request("opt", params), &result(got, "1"));
    }
    assert_eq!(counting.runs(), 7);
    for params in ["[]", r#"{"b":2}"#, "{}", "[null]", r#"{"a":null}"#, "null", "[null,1,1]"] {
        check(&server, request("opt", params), &error(-32602, "1"));
    }
    check(&server, r#"{"jsonrpc":"2.0","id":1,"method":"opt"}"#, &error(-32602, "1"));
    assert_eq!(counting.runs(), 0);
}

// R10
#[test]
fn too_many_arguments_are_refused() {
    let (server, counting) = counting_service::server();
    check(&server, request("add", "[1,2,3]"), &error(-32602, "1"));
    check(&server, request("add", "[1,2,null]"), &error(-32602, "1"));
    check(&server, request("opt", "[1,null,null,null]"), &error(-32602, "1"));
    check(&server, request("ping", "[1]"), &error(-32602, "1"));
    check(&server, request("ping", r#"{"a":1}"#), &error(-32602, "1"));
    assert_eq!(counting.runs(), 0);
}

// R11
#[test]
fn a_method_without_arguments_takes_empty_params_of_either_shape() {
    let (server, counting) = counting_service::server();
    check(&server, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, &result("null", "1"));
    for params in ["[]", "{}", "null", " [ ] ", "\n{\t}"] {
        check(&server, request("ping", params), &result("null", "1"));
    }
    assert_eq!(counting.runs(), 6);
}

// R12
#[test]
fn a_duplicate_argument_is_refused() {
    let (server, counting) = counting_service::server();
    check(&server, r#"{"jsonrpc":"2.0","id":1,"method":"add","params":{"a":1,"b":2,"a":50}}"#, &error(-32602, "1"));
    for params in [r#"{"a":1,"\u0061":1,"b":2}"#, r#"{"a":1,"a":1,"b":2}"#, r#"{"a":1,"b":2,"b":null}"#] {
        check(&server, request("add", params), &error(-32602, "1"));
    }
    check(&server, request("opt", r#"{"a":1,"b":null,"b":null}"#), &error(-32602, "1"));
    assert_eq!(counting.runs(), 0);
}

#[test]
fn named_arguments_come_in_any_order_and_must_match_exactly() {
    let (server, counting) = counting_service::server();
    check(&server, request("add", r#"{"b":2,"a":1}"#), &result("3", "1"));
    assert_eq!(counting.runs(), 1);
    for params in [r#"{"A":1,"b":2}"#, r#"{"a":1,"b":2,"c":3}"#, r#"{"a ":1,"b":2}"#, r#"{"0":1,"1":2}"#, r#"{"":1}"#] {
        check(&server, request("add", params), &error(-32602, "1"));
    }
    assert_eq!(counting.runs(), 0);
}

#[rpc]
trait Keywords {
    async fn list(&self, r#type: String, r#in: u8) -> String;
    async fn cased(&self, #[rpc(rename = "camelCase")] camel_case: u8) -> u8;
    async fn r#match(&self) -> u8;
}
struct Mine;
impl Keywords for Mine {
    async fn list(&self, r#type: String, r#in: u8) -> String {
        r#type + &r#in.to_string()
    }
    async fn cased(&self, camel_case: u8) -> u8 {
        camel_case
    }
    async fn r#match(&self) -> u8 {
        9
    }
}

// R50
#[test]
fn keywords_and_renamed_parameters_have_their_wire_names() {
    let server = Server::new(KeywordsService::new(Mine));
    check(&server, request("list", r#"{"type":"a","in":1}"#), &result(r#""a1""#, "1"));
    check(&server, request("list", r#"["a",1]"#), &result(r#""a1""#, "1"));
    check(&server, request("list", r#"{"r#type":"a","in":1}"#), &error(-32602, "1"));
    check(&server, request("cased", r#"{"camelCase":7}"#), &result("7", "1"));
    check(&server, request("cased", "[7]"), &result("7", "1"));
    check(&server, request("cased", r#"{"camel_case":7}"#), &error(-32602, "1"));
    check(&server, request("match", "[]"), &result("9", "1"));
    let client = KeywordsClient::new(server.caller());
    assert_eq!(now(client.list("a".to_owned(), 1)).ok().as_deref(), Some("a1"));
    assert_eq!(now(client.cased(7)).ok(), Some(7));
    assert_eq!(now(client.r#match()).ok(), Some(9));
}

/// Returns the data of the error -32602 that these params get.
fn error_data(method: &str, params: &str) -> Value {
    let (server, counting) = counting_service::server();
    let response = now(server.handle(request(method, params))).expect("a response");
    let response: Value = serde_json::from_str(&response).expect("JSON");
    assert_eq!((&response["error"]["code"], &response["id"]), (&Value::from(-32602), &Value::from(1)), "{params}");
    assert!(!response.to_string().contains("::"), "{response}");
    assert_eq!(counting.runs(), 0);
    response["error"]["data"].clone()
}

// R61
#[test]
fn invalid_params_name_the_parameter_its_position_and_the_expected_type() {
    for (params, param, position) in [
        (r#"["x",2]"#, "a", 0),
        (r#"{"a":1}"#, "b", 1),
        (r#"{"a":1,"b":"y"}"#, "b", 1),
        ("[1,{}]", "b", 1),
        ("[1]", "b", 1),
        ("[]", "a", 0),
        ("[1.5,2]", "a", 0),
        ("[1,9223372036854775808]", "b", 1),
        (r#"{"b":"a, expected nothing","a":1}"#, "b", 1),
    ] {
        let data = error_data("add", params);
        assert_eq!((&data["param"], &data["position"]), (&Value::from(param), &Value::from(position)), "{params}");
        assert!(data["expected"].as_str().is_some_and(|expected| expected.contains("integer")), "{params}: {data}");
    }
}

// R61
#[test]
fn invalid_params_name_an_unknown_or_duplicate_argument() {
    let unknown = error_data("add", r#"{"a":1,"B":2}"#);
    assert_eq!(unknown["param"], "B");
    let twice = error_data("add", r#"{"a":1,"b":2,"a":50}"#);
    assert_eq!((&twice["param"], &twice["position"]), (&Value::from("a"), &Value::from(0)));
    let many = error_data("add", "[1,2,3]");
    assert!(many.to_string().contains("too many"), "{many}");
}
