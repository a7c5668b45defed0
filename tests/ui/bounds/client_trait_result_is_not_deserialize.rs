use rpc_core::{ErrorObject, rpc};

#[derive(serde::Serialize)]
struct Opaque;

#[rpc(client_implements_trait)]
trait Api {
    async fn get(&self) -> Result<Opaque, ErrorObject>;
}

fn main() {}
