use rpc_core::{ErrorObject, rpc};

#[rpc(client_implements_trait)]
trait Pages {
    const MOST: usize;
    const LEAST: usize = 1;
    async fn list(&self) -> Result<Vec<String>, ErrorObject>;
}

fn main() {}
