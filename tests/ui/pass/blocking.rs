//! Blocking methods: results, errors, panics and notifications.

use rpc_core::{ErrorObject, Server, rpc};

#[rpc]
trait Slow {
    #[rpc(blocking)]
    fn size(&self, text: String, #[rpc(default)] more: usize) -> usize;
    #[rpc(blocking)]
    fn fails(&self) -> Result<(), ErrorObject>;
    #[rpc(blocking)]
    fn panics(&self) -> u8;
    #[rpc(blocking, notification)]
    fn note(&self);
}

struct Mine;
impl Slow for Mine {
    fn size(&self, text: String, more: usize) -> usize {
        text.len() + more
    }
    fn fails(&self) -> Result<(), ErrorObject> {
        Err(ErrorObject::new(7, "no"))
    }
    fn panics(&self) -> u8 {
        panic!("as it should")
    }
    fn note(&self) {}
}

#[tokio::main]
async fn main() {
    let server = Server::new(SlowService::new(Mine));
    let batch = r#"[{"jsonrpc":"2.0","method":"size","params":["abc"],"id":1},{"jsonrpc":"2.0","method":"fails","id":2},
        {"jsonrpc":"2.0","method":"panics","id":3},{"jsonrpc":"2.0","method":"note"}]"#;
    let wanted = r#"[{"jsonrpc":"2.0","result":3,"id":1},{"jsonrpc":"2.0","error":{"code":7,"message":"no"},"id":2},{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":3}]"#;
    assert_eq!(server.handle(batch).await.unwrap(), wanted);
}
