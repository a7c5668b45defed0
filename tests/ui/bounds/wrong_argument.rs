use rpc_core::rpc;
use rpc_core::client::Caller;

#[rpc]
trait Calc {
    async fn add(&self, a: i64, b: i64) -> i64;
}

async fn call<C: Caller>(client: CalcClient<C>) {
    let _ = client.add(1, "two").await;
}

fn main() {}
