//! Attributes in a `cfg_attr` are repeated on generated items.

#![deny(warnings)]

use rpc_core::{Server, block_on, rpc};
use rpc_core::server::Service;

#[rpc]
trait Parts {
    #[cfg_attr(all(), cfg(all()), doc = "Is there.")]
    async fn here(&self) -> u8;
    #[cfg_attr(all(), doc = "Is gone.", cfg(any()))]
    async fn gone(&self, unknown: ThereIsNoSuchType) -> Outcome;
    #[cfg_attr(any(), cfg(any()))]
    fn stays(&self) -> u8;
    #[cfg_attr(all(), cfg_attr(all(), cfg(any())))]
    fn hidden(&self, unknown: ThereIsNoSuchType);
    #[cfg_attr(all(), deprecated = "call `here`")]
    fn old(&self) -> u8;
}

struct Me;

impl Parts for Me {
    async fn here(&self) -> u8 {
        1
    }
    fn stays(&self) -> u8 {
        2
    }
    fn old(&self) -> u8 {
        3
    }
}

fn main() {
    let service = PartsService::new(Me);
    let mut names = vec![];
    service.for_each_method(&mut |method| names.push(method.name().to_owned()));
    assert_eq!(names, ["here", "stays", "old"]);
    let client = PartsClient::new(Server::new(service).caller());
    assert_eq!(block_on(client.here()).unwrap(), 1);
    assert_eq!(block_on(client.stays()).unwrap(), 2);
    #[allow(deprecated)]
    let old = client.old();
    assert_eq!(block_on(old).unwrap(), 3);
}
