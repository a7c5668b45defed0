use rpc_core::{ErrorObject, rpc};

type Outcome<T> = Result<T, ErrorObject>;

#[rpc(client_implements_trait)]
trait Calc {
    async fn divide(&self, a: i64, b: i64) -> Outcome<i64>;
}

fn main() {}
