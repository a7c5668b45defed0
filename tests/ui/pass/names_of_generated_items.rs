//! Methods, parameters and types with prefixed names that generated code could use.

#![allow(non_snake_case, non_camel_case_types)]

use rpc_core::{Server, block_on, rpc};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct __Call(u8);
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct __Method(u8);

#[rpc]
trait Calc<__S: Serialize + for<'de> Deserialize<'de> + Send + 'static, __C = u8>
where
    __C: Serialize + for<'de> Deserialize<'de> + Send + 'static,
{
    fn __Never(&self) -> u8;
    fn __Call(&self, call: __Call, method: &__Method) -> (__Call, __Method);
    async fn generic(&self, s: __S, c: __C) -> (__S, __C);
}

struct Me;

impl Calc<u8> for Me {
    fn __Never(&self) -> u8 {
        7
    }
    fn __Call(&self, call: __Call, method: &__Method) -> (__Call, __Method) {
        (call, *method)
    }
    async fn generic(&self, s: u8, c: u8) -> (u8, u8) {
        (s, c)
    }
}

fn main() {
    let server = Server::new(CalcService::<u8, u8, _>::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"__Never","id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":7,"id":1}"#);
    let client = CalcClient::<u8, u8, _>::new(server.caller());
    assert_eq!(block_on(client.__Call(__Call(1), &__Method(2))).unwrap(), (__Call(1), __Method(2)));
    assert_eq!(block_on(client.generic(1, 2)).unwrap(), (1, 2));
}
