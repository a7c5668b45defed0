use rpc_core::{ErrorObject, rpc};

#[rpc(server, client_implements_trait)]
trait Calc {
    async fn divide(&self, a: i64, b: i64) -> Result<i64, ErrorObject>;
}

fn main() {}
