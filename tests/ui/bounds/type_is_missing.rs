use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn add(&self, a: Nowhere, b: i64) -> i64;
}

fn main() {}
