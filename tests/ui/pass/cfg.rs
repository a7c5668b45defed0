//! `cfg` on methods: a method that is compiled out does not exist, and alternatives may share a name.

#![deny(warnings)]

use rpc_core::{Server, block_on, rpc};
use rpc_core::server::Service;

#[rpc]
trait Parts {
    #[cfg(all())]
    async fn here(&self) -> u8;
    #[cfg(any())]
    async fn gone(&self, unknown: ThereIsNoSuchType) -> Outcome;
    #[cfg(not(any()))]
    fn either(&self) -> u8;
    #[cfg(any())]
    fn either(&self, n: u16) -> u16;
    #[cfg(any())]
    #[rpc(name = "last")]
    fn one(&self);
    #[cfg(all())]
    #[rpc(name = "last")]
    #[rpc(notification)]
    fn other(&self, #[rpc(flatten)] list: Vec<u8>);
}

struct Me;

impl Parts for Me {
    async fn here(&self) -> u8 {
        1
    }
    fn either(&self) -> u8 {
        2
    }
    fn other(&self, _list: Vec<u8>) {}
}

fn main() {
    let service = PartsService::new(Me);
    let mut names = vec![];
    service.for_each_method(&mut |method| names.push(method.name().to_owned()));
    assert_eq!(names, ["here", "either", "last"]);

    let server = Server::new(service);
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"either","id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":2,"id":1}"#);
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"gone","id":1}"#);
    assert!(response.unwrap().contains("-32601"));

    let client = PartsClient::new(server.caller());
    assert_eq!(block_on(client.here()).unwrap(), 1);
    block_on(client.other(vec![])).unwrap();
}
