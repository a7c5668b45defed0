use rpc_core::{ErrorObject, rpc};

#[derive(serde::Deserialize)]
struct Opaque;

#[rpc(client_implements_trait)]
trait Api {
    async fn put(&self, opaque: Opaque) -> Result<(), ErrorObject>;
}

fn main() {}
