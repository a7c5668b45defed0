use rpc_core::{RpcError, rpc};

#[derive(RpcError)]
enum CalcError {
    #[rpc(code = 1, message = "division by zero")]
    ByZero,
}

type Outcome<T> = Result<T, CalcError>;

#[rpc(client_implements_trait)]
trait Calc {
    #[rpc(fallible)]
    async fn multiply(&self, a: i64, b: i64) -> Outcome<i64>;
}

fn main() {}
