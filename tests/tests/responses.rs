//! The response of a server: a complete result or an error, appended to the buffer.

use rpc_core::{ErrorObject, Server, rpc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use tests::check::{check, internal_error, result};
use tests::task::{now, yield_now};

/// Fails to serialise after its first element.
#[derive(Debug)]
struct Half;

impl Serialize for Half {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element("first element")?;
        Err(serde::ser::Error::custom("cannot be serialised"))
    }
}

impl<'de> Deserialize<'de> for Half {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Half)
    }
}

#[rpc]
trait Results {
    async fn number(&self, n: u8, later: Option<bool>) -> u8;
    async fn half(&self) -> Half;
    async fn half_inside(&self) -> Result<Vec<Half>, ErrorObject>;
    async fn keys(&self) -> BTreeMap<(u8, u8), u8>;
    async fn not_a_number(&self) -> Vec<f64>;
    async fn refuse(&self) -> Result<(), ErrorObject>;
    async fn explode(&self, later: Option<bool>);
}

struct Mine;

impl Results for Mine {
    async fn number(&self, n: u8, later: Option<bool>) -> u8 {
        if later == Some(true) {
            yield_now().await;
        }
        n
    }
    async fn half(&self) -> Half {
        Half
    }
    async fn half_inside(&self) -> Result<Vec<Half>, ErrorObject> {
        Ok(vec![Half])
    }
    async fn keys(&self) -> BTreeMap<(u8, u8), u8> {
        BTreeMap::from([((1, 2), 3)])
    }
    async fn not_a_number(&self) -> Vec<f64> {
        vec![f64::NAN, 1.5, f64::INFINITY]
    }
    async fn refuse(&self) -> Result<(), ErrorObject> {
        Err(ErrorObject::new(7, "no").with_data(&[1]))
    }
    async fn explode(&self, later: Option<bool>) {
        if later == Some(true) {
            yield_now().await;
        }
        panic!("in /etc/secret.rs");
    }
}

fn server() -> Server<ResultsService<Mine>> {
    Server::new(ResultsService::new(Mine))
}

fn call(method: &str, params: &str, id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":{id}}}"#)
}

fn batch(members: &[String]) -> String {
    format!("[{}]", members.join(","))
}

#[test]
fn a_result_that_cannot_be_serialised_is_an_internal_error() {
    let server = server();
    for method in ["half", "half_inside", "keys"] {
        let response = now(server.handle(call(method, "[]", 1)));
        assert_eq!(response, Some(internal_error("1")));
        check(
            &server,
            batch(&[call("number", "[1]", 1), call(method, "[]", 2), call("number", "[3]", 3)]),
            &batch(&[result("1", "1"), internal_error("2"), result("3", "3")]),
        );
        check(&server, format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#), "");
    }
}

#[test]
fn a_result_of_nan_or_infinity_is_null() {
    let server = server();
    check(&server, call("not_a_number", "[]", 1), &result("[null,1.5,null]", "1"));
}

#[test]
fn the_error_of_a_method_is_written_with_its_data() {
    let error = r#"{"jsonrpc":"2.0","error":{"code":7,"message":"no","data":[1]},"id":1}"#;
    assert_eq!(now(server().handle(call("refuse", "[]", 1))).as_deref(), Some(error));
}

#[test]
fn handle_into_appends_to_the_buffer() {
    let server = server();
    let note = r#"{"jsonrpc":"2.0","method":"number","params":[1]}"#.to_owned();
    for message in [
        call("number", "[1]", 1),
        call("number", "[1,true]", 1),
        call("half", "[]", 1),
        call("refuse", "[]", 1),
        call("explode", "[]", 1),
        call("explode", "[true]", 1),
        call("nope", "[]", 1),
        "not json".to_owned(),
        "[]".to_owned(),
        note.clone(),
        batch(&[note.clone(), note]),
        batch(&[call("number", "[1]", 1), call("explode", "[]", 2), call("half", "[]", 3), "1".to_owned()]),
        batch(&[call("explode", "[]", 2)]),
    ] {
        let alone = now(server.handle(&message));
        let mut out = b"before".to_vec();
        assert_eq!(now(server.handle_into(message.as_bytes(), &mut out)), alone.is_some(), "{message}");
        assert_eq!(String::from_utf8_lossy(&out), format!("before{}", alone.clone().unwrap_or_default()));
        let mut out = Vec::new();
        assert_eq!(now(server.handle_into(message.as_bytes(), &mut out)), alone.is_some(), "{message}");
        assert_eq!(String::from_utf8_lossy(&out), alone.unwrap_or_default());
    }
}
