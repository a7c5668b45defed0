//! The most parameters that a method can have.

use rpc_core::{Server, block_on, rpc};

#[rpc]
trait Sum {
    fn sum(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8) -> u8;
}

struct Me;

impl Sum for Me {
    fn sum(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8) -> u8 {
        a + b + c + d + e + f + g + h + i + j + k + l
    }
}

fn main() {
    let server = Server::new(SumService::new(Me));
    let response =
        server.handle_blocking(r#"{"jsonrpc":"2.0","method":"sum","params":[1,2,3,4,5,6,7,8,9,10,11,12],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":78,"id":1}"#);
    let client = SumClient::new(server.caller());
    assert_eq!(block_on(client.sum(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)).unwrap(), 78);
}
