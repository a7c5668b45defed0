use rpc_core::{ErrorObject, rpc};

#[rpc(client_implements_trait)]
trait Store {
    type Key;
    async fn get(&self, key: u64) -> Result<String, ErrorObject>;
}

fn main() {}
