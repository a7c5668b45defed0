use rpc_core::rpc;

#[rpc(client_implements_trait)]
trait Calc {
    async fn add(&self, a: i64, b: i64) -> i64;
}

fn main() {}
