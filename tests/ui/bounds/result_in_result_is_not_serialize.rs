use rpc_core::rpc;

#[derive(serde::Deserialize)]
struct Opaque;

#[rpc]
trait Calc {
    async fn get(&self) -> Result<Opaque, rpc_core::ErrorObject>;
}

fn main() {}
