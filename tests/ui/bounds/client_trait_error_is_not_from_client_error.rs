use rpc_core::{RpcError, rpc};

#[derive(RpcError)]
enum CalcError {
    #[rpc(code = 1, message = "division by zero")]
    ByZero,
}

#[rpc(client_implements_trait)]
trait Calc {
    async fn divide(&self, a: i64, b: i64) -> Result<i64, CalcError>;
}

fn main() {}
