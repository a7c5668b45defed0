//! `connect` and `connect_blocking` are functions of the client. A method with such a name is refused
//! (`fail/name/method_connect.rs`), but it may have the wire name, and a trait without a client may have the
//! method.

#![deny(warnings)]

use rpc_core::{Server, block_on, rpc};

#[rpc]
trait Modem {
    #[rpc(name = "connect")]
    async fn dial(&self, number: String) -> usize;
    #[rpc(name = "connect_blocking")]
    async fn dial_slowly(&self) -> u8;
}

#[rpc(server)]
trait Plain {
    async fn connect(&self) -> u8;
    fn connect_blocking(&self) -> u8;
}

struct Mine;

impl Modem for Mine {
    async fn dial(&self, number: String) -> usize {
        number.len()
    }
    async fn dial_slowly(&self) -> u8 {
        2
    }
}

impl Plain for Mine {
    async fn connect(&self) -> u8 {
        3
    }
    fn connect_blocking(&self) -> u8 {
        4
    }
}

fn main() {
    let server = Server::new((ModemService::new(Mine),));
    let modem = ModemClient::new(server.caller());
    assert_eq!(block_on(modem.dial("12345".to_owned())).unwrap(), 5);
    assert_eq!(modem.dial_slowly().wait().unwrap(), 2);
    assert!(ModemClient::connect_blocking("nowhere").is_err());
    assert!(block_on(ModemClient::connect("nowhere")).is_err());
    let _ = PlainService::new(Mine);
}
