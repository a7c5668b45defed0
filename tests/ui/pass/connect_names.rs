//! A method called `connect_blocking`: the client has the user's, not its own. `connect` is refused as a method
//! (`fail/name/method_connect.rs`), and free as a name on the wire.

#![deny(warnings)]

use rpc_core::{Server, block_on, net, rpc};

#[rpc]
trait Modem {
    #[rpc(name = "connect")]
    async fn dial(&self, number: String) -> usize;
    fn connect_blocking(&self) -> bool;
}

#[rpc]
trait Plain {
    #[rpc(name = "connect_blocking")]
    async fn dial(&self) -> u8;
}

struct Mine;

impl Modem for Mine {
    async fn dial(&self, number: String) -> usize {
        number.len()
    }
    fn connect_blocking(&self) -> bool {
        true
    }
}

impl Plain for Mine {
    async fn dial(&self) -> u8 {
        2
    }
}

fn main() {
    let server = Server::new(ModemService::new(Mine));
    let modem = ModemClient::new(server.caller());
    assert_eq!(block_on(modem.dial("12345".to_owned())).unwrap(), 5);
    assert!(block_on(modem.connect_blocking()).unwrap());
    let server = Server::new(PlainService::new(Mine));
    assert_eq!(block_on(PlainClient::new(server.caller()).dial()).unwrap(), 2);
    // What the trait does not name is the client's own.
    assert!(PlainClient::connect_blocking("nowhere").is_err());
    assert!(block_on(ModemClient::connect("nowhere")).is_err());
    // So is the method over a connection.
    let over = |address: &str| net::connect_blocking(address).map(|connected| ModemClient::new(connected).connect_blocking().wait());
    assert!(over("nowhere").is_err());
}
