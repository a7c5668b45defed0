//! Aliases, also through a router and in a namespace.

use rpc_core::{Server, rpc};
use rpc_core::server::{Router, Service};

#[rpc(namespace = "n")]
trait Moved {
    #[rpc(alias = "old", alias = "older")]
    async fn new_name(&self) -> u8;
}

struct Mine;
impl Moved for Mine {
    async fn new_name(&self) -> u8 {
        1
    }
}

fn check(server: &Server<impl Service>) {
    for name in ["n.new_name", "n.old", "n.older"] {
        let response = server.handle_blocking(format!(r#"{{"jsonrpc":"2.0","method":"{name}","id":1}}"#));
        assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":1,"id":1}"#);
    }
}

fn main() {
    check(&Server::new(MovedService::new(Mine)));
    check(&Server::new(Router::builder().service(MovedService::new(Mine)).build().unwrap()));
    let twice = Router::builder().service(MovedService::new(Mine)).method("n.old", async |_: rpc_core::server::RawCall| {
        Ok::<_, rpc_core::ErrorObject>(2)
    });
    assert_eq!(twice.build().unwrap_err().name(), "n.old");
}
