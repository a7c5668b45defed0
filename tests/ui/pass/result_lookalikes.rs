//! Types with names like `Result` that are none.

use rpc_core::{Server, block_on, rpc};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct InitializeResult {
    version: u8,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct PageResult<T> {
    items: Vec<T>,
}

mod query {
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    pub struct Result;
}

#[rpc]
trait Editor {
    fn initialize(&self) -> InitializeResult;
    #[rpc(infallible)]
    async fn page(&self) -> PageResult<u8>;
    async fn query(&self) -> query::Result;
    fn maybe(&self) -> Option<InitializeResult>;
}

struct MyEditor;

impl Editor for MyEditor {
    fn initialize(&self) -> InitializeResult {
        InitializeResult { version: 1 }
    }
    async fn page(&self) -> PageResult<u8> {
        PageResult { items: vec![1, 2] }
    }
    async fn query(&self) -> query::Result {
        query::Result
    }
    fn maybe(&self) -> Option<InitializeResult> {
        None
    }
}

fn main() {
    let server = Server::new(EditorService::new(MyEditor));
    for (method, result) in
        [("initialize", r#"{"version":1}"#), ("page", r#"{"items":[1,2]}"#), ("query", "null"), ("maybe", "null")]
    {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response));
    }

    let client = EditorClient::new(server.caller());
    block_on(async {
        assert_eq!(client.initialize().await.unwrap(), InitializeResult { version: 1 });
        assert_eq!(client.page().await.unwrap(), PageResult { items: vec![1, 2] });
        assert_eq!(client.query().await.unwrap(), query::Result);
        assert_eq!(client.maybe().await.unwrap(), None);
    });
}
