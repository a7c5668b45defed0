//! The errors of methods: an error object, an internal error, `Infallible` and an error type.

use rpc_core::{CallError, ClientError, ErrorObject, Internal, RpcError, Server, block_on, rpc};
use std::convert::Infallible;

#[derive(Debug, PartialEq)]
struct Full;

impl RpcError for Full {
    fn into_object(self) -> ErrorObject {
        ErrorObject::new(7, "full")
    }
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> {
        if object.code == 7 { Ok(Full) } else { Err(object) }
    }
}

#[rpc]
trait Store {
    fn size(&self, path: &str) -> Result<u64, ErrorObject>;
    async fn read(&self, path: &str) -> Result<String, Internal>;
    fn put(&self, key: u8) -> Result<(), Full>;
    async fn count(&self) -> std::result::Result<u64, Infallible>;
}

struct Nothing;

impl Store for Nothing {
    fn size(&self, path: &str) -> Result<u64, ErrorObject> {
        if path.is_empty() { Err(ErrorObject::invalid_params("`path` is empty")) } else { Ok(0) }
    }
    async fn read(&self, path: &str) -> Result<String, Internal> {
        Ok(path.parse::<u8>()?.to_string())
    }
    fn put(&self, key: u8) -> Result<(), Full> {
        if key > 0 { Err(Full) } else { Ok(()) }
    }
    async fn count(&self) -> Result<u64, Infallible> {
        Ok(0)
    }
}

fn main() {
    let server = Server::new(StoreService::new(Nothing));
    let call = |method: &str, params: &str| {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        server.handle_blocking(&*request).unwrap()
    };
    assert_eq!(call("size", r#"["a"]"#), r#"{"jsonrpc":"2.0","result":0,"id":1}"#);
    assert_eq!(
        call("size", r#"[""]"#),
        r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params","data":"`path` is empty"},"id":1}"#
    );
    assert_eq!(call("read", r#"["7"]"#), r#"{"jsonrpc":"2.0","result":"7","id":1}"#);
    assert_eq!(
        call("read", r#"["x"]"#),
        r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#
    );
    assert_eq!(call("put", "[0]"), r#"{"jsonrpc":"2.0","result":null,"id":1}"#);
    assert_eq!(call("put", "[1]"), r#"{"jsonrpc":"2.0","error":{"code":7,"message":"full"},"id":1}"#);
    assert_eq!(call("count", "[]"), r#"{"jsonrpc":"2.0","result":0,"id":1}"#);

    let client = StoreClient::new(server.caller());
    block_on(async {
        assert!(matches!(client.size("").await, Err(CallError::Method(error)) if error.code == -32602));
        assert!(matches!(client.read("x").await, Err(CallError::Client(ClientError::Rpc(error))) if error.code == -32603));
        assert!(matches!(client.put(1).await, Err(CallError::Method(Full))));
        assert_eq!(client.count().await.unwrap(), 0);
    });
}
