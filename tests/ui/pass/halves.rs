//! Only the half that is asked for.

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

struct Mine;
impl server::Calc for Mine {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    let _ = (client::CalcService, server::CalcClient);
    let caller = rpc_core::Server::new(server::CalcService::new(Mine)).caller();
    assert_eq!(rpc_core::block_on(client::CalcClient::new(caller).add(1, 2)).unwrap(), 3);
}
