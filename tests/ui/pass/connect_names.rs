//! Methods called `connect` and `connect_blocking`: the client has the user's, not its own.

#![deny(warnings)]

use rpc_core::{Server, block_on, net, rpc};

#[rpc]
trait Modem {
    async fn connect(&self, number: String) -> usize;
    fn connect_blocking(&self) -> bool;
}

#[rpc]
trait Half {
    async fn connect(&self) -> u8;
}

struct Mine;

impl Modem for Mine {
    async fn connect(&self, number: String) -> usize {
        number.len()
    }
    fn connect_blocking(&self) -> bool {
        true
    }
}

impl Half for Mine {
    async fn connect(&self) -> u8 {
        2
    }
}

fn main() {
    let server = Server::new(ModemService::new(Mine));
    let modem = ModemClient::new(server.caller());
    assert_eq!(block_on(modem.connect("12345".to_owned())).unwrap(), 5);
    assert!(block_on(modem.connect_blocking()).unwrap());
    let server = Server::new(HalfService::new(Mine));
    assert_eq!(block_on(HalfClient::new(server.caller()).connect()).unwrap(), 2);
    // What the trait does not name is still the client's own.
    assert!(HalfClient::connect_blocking("nowhere").is_err());
    // The same for a client of a connection.
    let over = |address: &str| net::connect_blocking(address).map(|connected| {
        let _ = ModemClient::new(connected.clone()).connect(String::new());
    });
    assert!(over("nowhere").is_err());
}
