use rpc_core::{ErrorObject, rpc};

type DivideResult = Result<i64, ErrorObject>;

#[rpc]
trait Calc {
    async fn divide(&self, a: i64, b: i64) -> DivideResult;
}

fn main() {}
