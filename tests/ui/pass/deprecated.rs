//! A deprecated method warns only where the user calls it.

#![deny(warnings)]

use rpc_core::{Server, block_on, rpc};

#[rpc]
trait Calc {
    #[deprecated]
    async fn plus(&self, a: i64, b: i64) -> i64;
    #[deprecated(since = "1.0.0", note = "no effect")]
    #[rpc(notification)]
    fn forget(&self, #[rpc(flatten)] all: Vec<u8>);
}

struct MyCalc;

impl Calc for MyCalc {
    async fn plus(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    fn forget(&self, _all: Vec<u8>) {}
}

fn main() {
    let server = Server::new(CalcService::new(MyCalc));
    let client = CalcClient::new(server.caller());
    #[expect(deprecated)]
    let sum = block_on(client.plus(1, 2));
    assert_eq!(sum.unwrap(), 3);
    #[expect(deprecated)]
    let sent = block_on(client.forget(vec![]));
    sent.unwrap();
}
