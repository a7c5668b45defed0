use rpc_core::rpc;
use rpc_core::client::Caller;

#[derive(serde::Serialize)]
struct Opaque;

#[rpc]
trait Calc {
    fn get(&self) -> Opaque;
}

async fn call<C: Caller>(client: CalcClient<C>) {
    client.get().await.unwrap();
}

fn main() {}
