//! `client` and `server` generate one half only.

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

/// Each half requires only its half of serde.
mod one_way {
    #[derive(serde::Serialize)]
    pub struct Written;
    #[derive(serde::Deserialize)]
    pub struct Read;

    #[rpc_core::rpc(server)]
    pub trait Serves {
        async fn give(&self, taken: Read) -> Written;
        /// A name that conflicts only with a client.
        fn batch(&self) -> u8;
    }
    #[rpc_core::rpc(client)]
    pub trait Calls {
        async fn give(&self, taken: Written) -> Read;
    }
}

/// Without an implementation, and with a method that is never called.
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
