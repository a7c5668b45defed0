//! `flatten`: a list, a struct, a map, an `Option`, any JSON, and a borrowed value.

use rpc_core::{Server, block_on, rpc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Position {
    line: u32,
    #[serde(default)]
    column: u32,
}

#[rpc]
trait Whole {
    fn list(&self, #[rpc(flatten)] numbers: Vec<i64>) -> i64;
    async fn object(&self, #[rpc(flatten)] position: Position) -> u32;
    fn map(&self, #[rpc(flatten)] entries: BTreeMap<String, u8>) -> usize;
    fn option(&self, #[rpc(flatten)] position: Option<Position>) -> bool;
    async fn any(&self, #[rpc(flatten)] params: Value) -> Value;
    fn slice(&self, #[rpc(flatten)] numbers: &[i64]) -> i64;
    async fn borrowed(&self, #[rpc(flatten)] position: &Position) -> u32;
    #[rpc(notification)]
    fn forget(&self, #[rpc(flatten)] numbers: Vec<i64>);
}

struct Me;

impl Whole for Me {
    fn list(&self, numbers: Vec<i64>) -> i64 {
        numbers.iter().sum()
    }
    async fn object(&self, position: Position) -> u32 {
        position.line + position.column
    }
    fn map(&self, entries: BTreeMap<String, u8>) -> usize {
        entries.len()
    }
    fn option(&self, position: Option<Position>) -> bool {
        position.is_some()
    }
    async fn any(&self, params: Value) -> Value {
        params
    }
    fn slice(&self, numbers: &[i64]) -> i64 {
        numbers.iter().sum()
    }
    async fn borrowed(&self, position: &Position) -> u32 {
        position.line
    }
    fn forget(&self, _numbers: Vec<i64>) {}
}

fn main() {
    let server = Server::new(WholeService::new(Me));
    let check = |method: &str, params: &str, result: &str| {
        let params = if params.is_empty() { String::new() } else { format!(r#","params":{params}"#) };
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params},"id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response));
    };
    check("list", "[1,2,3]", "6");
    check("list", "", "0");
    check("object", r#"{"line":3,"column":4}"#, "7");
    check("object", r#"{"line":3}"#, "3");
    check("map", r#"{"a":1,"b":2}"#, "2");
    check("map", "", "0");
    check("option", r#"{"line":1}"#, "true");
    check("option", "", "false");
    check("any", r#"{"a":[1]}"#, r#"{"a":[1]}"#);
    check("any", "[1,2]", "[1,2]");
    check("slice", "[1,2]", "3");
    check("borrowed", r#"{"line":9}"#, "9");

    let client = WholeClient::new(server.caller());
    let position = Position { line: 1, column: 2 };
    block_on(async {
        assert_eq!(client.list(vec![1, 2]).await.unwrap(), 3);
        assert_eq!(client.object(position.clone()).await.unwrap(), 3);
        assert_eq!(client.map(BTreeMap::new()).await.unwrap(), 0);
        assert!(!client.option(None).await.unwrap());
        assert!(client.option(Some(position.clone())).await.unwrap());
        assert_eq!(client.any(json!([1])).await.unwrap(), json!([1]));
        assert_eq!(client.slice(&[4, 5]).await.unwrap(), 9);
        assert_eq!(client.borrowed(&position).await.unwrap(), 1);
        client.forget(vec![]).await.unwrap();
    });
}
