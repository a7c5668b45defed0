//! A parameter with another name on the wire.

use rpc_core::{Server, block_on, rpc};

#[rpc]
trait Range {
    async fn length(&self, #[rpc(rename = "from")] start: i64, #[rpc(rename = "größtes \"Ende\"")] end: i64) -> i64;
    // The names are swapped.
    fn swapped(&self, #[rpc(rename = "b")] a: i64, #[rpc(rename = "a")] b: i64) -> i64;
}

struct Me;

impl Range for Me {
    async fn length(&self, start: i64, end: i64) -> i64 {
        end - start
    }
    fn swapped(&self, a: i64, b: i64) -> i64 {
        a - b
    }
}

fn main() {
    let server = Server::new(RangeService::new(Me));
    let call = |method: &str, params: &str| {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        server.handle_blocking(&*request).unwrap()
    };
    let seven = r#"{"jsonrpc":"2.0","result":7,"id":1}"#;
    assert_eq!(call("length", r#"{"from":1,"größtes \"Ende\"":8}"#), seven);
    assert_eq!(call("length", "[1,8]"), seven);
    assert!(call("length", r#"{"start":1,"end":8}"#).contains("-32602"));
    assert_eq!(call("swapped", r#"{"a":1,"b":8}"#), seven);

    let client = RangeClient::new(server.caller());
    assert_eq!(block_on(client.length(1, 8)).unwrap(), 7);
    assert_eq!(block_on(client.swapped(8, 1)).unwrap(), 7);
}
