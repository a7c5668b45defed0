//! A trait without methods, and one with constants only.

#![deny(warnings)]

use rpc_core::{Server, rpc};

#[rpc]
trait Empty {}

#[rpc]
trait Constant<T: 'static> {
    const LIMIT: u8 = 1;
}

struct Me;
impl Empty for Me {}
impl Constant<u8> for Me {}

fn main() {
    assert_eq!(<Me as Constant<u8>>::LIMIT, 1);
    let server = Server::new((EmptyService::new(Me), ConstantService::<u8, _>::new(Me)));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"any","id":1}"#);
    assert!(response.unwrap().contains("-32601"));
    let _ = EmptyClient::new(server.caller());
}
