//! Methods and parameters with the names of generated local variables.

#![deny(warnings)]

use rpc_core::{Server, block_on, rpc};

#[rpc]
trait Names {
    fn __reply(&self, __0: u8, __1: u8, __c: u8, __s: u8, __output: u8) -> u8;
    async fn __service(&self, __call: u8, __rpc: u8, __params: u8) -> u8;
    async fn __responder(&self, __responder: u8, __result: u8, __kept: String, __arguments: Vec<String>) -> u8;
    async fn __body(&self, __output: u8) -> u8 {
        __output
    }
}

struct Me;

impl Names for Me {
    fn __reply(&self, __0: u8, __1: u8, __c: u8, __s: u8, __output: u8) -> u8 {
        __0 + __1 + __c + __s + __output
    }
    async fn __service(&self, __call: u8, __rpc: u8, __params: u8) -> u8 {
        __call + __rpc + __params
    }
    async fn __responder(&self, __responder: u8, __result: u8, __kept: String, __arguments: Vec<String>) -> u8 {
        __responder + __result
    }
}

fn main() {
    let server = Server::new(NamesService::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"__reply","params":[1,2,3,4,5],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":15,"id":1}"#);
    let client = NamesClient::new(server.caller());
    assert_eq!(block_on(client.__service(1, 2, 3)).unwrap(), 6);
    assert_eq!(block_on(client.__body(7)).unwrap(), 7);
    assert_eq!(block_on(client.__responder(1, 2, String::new(), vec![])).unwrap(), 3);
}
