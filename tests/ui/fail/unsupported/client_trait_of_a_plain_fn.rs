use rpc_core::{ErrorObject, rpc};

#[rpc(client_implements_trait)]
trait Calc {
    fn divide(&self, a: i64, b: i64) -> Result<i64, ErrorObject>;
}

fn main() {}
