//! Two traits in one module whose methods have the same Rust names.

use rpc_core::{Server, block_on, rpc};

#[rpc(namespace = "a")]
trait A {
    async fn get(&self, n: u8) -> u8;
    fn put(&self);
}

#[rpc(namespace = "b")]
trait B {
    async fn get(&self, text: &str) -> String;
    fn put(&self);
}

struct Both;

impl A for Both {
    async fn get(&self, n: u8) -> u8 {
        n
    }
    fn put(&self) {}
}
impl B for Both {
    async fn get(&self, text: &str) -> String {
        text.to_owned()
    }
    fn put(&self) {}
}

fn main() {
    let server = Server::new((AService::new(Both), BService::new(Both)));
    let response = server.handle_blocking(
        r#"[{"jsonrpc":"2.0","method":"a.get","params":[1],"id":1},{"jsonrpc":"2.0","method":"b.get","params":["x"],"id":2}]"#,
    );
    assert_eq!(response.unwrap(), r#"[{"jsonrpc":"2.0","result":1,"id":1},{"jsonrpc":"2.0","result":"x","id":2}]"#);
    assert_eq!(block_on(AClient::new(server.caller()).get(1)).unwrap(), 1);
    assert_eq!(block_on(BClient::new(server.caller()).get("y")).unwrap(), "y");
}
