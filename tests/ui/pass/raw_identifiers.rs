//! `r#type` is `type` on the wire.

use rpc_core::{Server, block_on, rpc};

#[rpc(namespace = "reflect")]
trait r#Reflect {
    fn r#match(&self, r#type: &str, r#fn: u8) -> String;
    async fn r#async(&self, r#type: Option<String>) -> Option<String>;
    #[rpc(name = "for")]
    fn r#loop(&self, #[rpc(flatten)] r#in: Vec<u8>) -> u8;
}

struct Me;

impl Reflect for Me {
    fn r#match(&self, r#type: &str, r#fn: u8) -> String {
        format!("{}{}", r#type, r#fn)
    }
    async fn r#async(&self, r#type: Option<String>) -> Option<String> {
        r#type
    }
    fn r#loop(&self, r#in: Vec<u8>) -> u8 {
        r#in.iter().sum()
    }
}

fn main() {
    let server = Server::new(ReflectService::new(Me));
    let check = |method: &str, params: &str, result: &str| {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"reflect.{method}","params":{params},"id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response));
    };
    check("match", r#"{"type":"a","fn":1}"#, r#""a1""#);
    check("async", r#"{"type":"a"}"#, r#""a""#);
    check("for", "[1,2]", "3");

    let client = ReflectClient::new(server.caller());
    assert_eq!(block_on(client.r#match("a", 1)).unwrap(), "a1");
    assert_eq!(block_on(client.r#async(None)).unwrap(), None);
    assert_eq!(block_on(client.r#loop(vec![1])).unwrap(), 1);
}
