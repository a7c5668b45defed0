//! Only the half that is asked for.

#![deny(warnings)]

mod client {
    #[rpc_core::rpc(client)]
    pub trait Calc {
        async fn add(&self, a: i64, b: i64) -> i64;
    }
    pub struct CalcService;
}

mod server {
    #[rpc_core::rpc(server)]
    pub trait Calc {
        async fn add(&self, a: i64, b: i64) -> i64;
    }
    pub struct CalcClient;
}

/// A server needs no client's half of serde, nor a client a server's.
mod one_way {
    #[derive(serde::Serialize)]
    pub struct Written;
    #[derive(serde::Deserialize)]
    pub struct Read;

    #[rpc_core::rpc(server)]
    pub trait Serves {
        async fn give(&self, taken: Read) -> Written;
        /// A name that only a client would need itself.
        fn batch(&self) -> u8;
    }
    #[rpc_core::rpc(client)]
    pub trait Calls {
        async fn give(&self, taken: Written) -> Read;
    }
}

/// Nothing is of it, and not all of it is called.
#[rpc_core::rpc(client)]
trait Private {
    async fn add(&self, a: i64, b: i64) -> i64;
    async fn other(&self);
}

struct Mine;
impl one_way::Serves for Mine {
    async fn give(&self, _: one_way::Read) -> one_way::Written {
        one_way::Written
    }
    fn batch(&self) -> u8 {
        1
    }
}
impl server::Calc for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    let _ = (client::CalcService, server::CalcClient);
    let caller = rpc_core::Server::new(server::CalcService::new(Mine)).caller();
    let other = rpc_core::Server::new(one_way::ServesService::new(Mine)).caller();
    let _ = PrivateClient::new(other.clone()).add(1, 2);
    assert!(rpc_core::block_on(one_way::CallsClient::new(other).give(one_way::Written)).is_ok());
    assert_eq!(rpc_core::block_on(client::CalcClient::new(caller).add(1, 2)).unwrap(), 3);
}
