use rpc_core::{Context, rpc};

type Outcome<T> = Result<T, rpc_core::ErrorObject>;

#[rpc(client_implements_trait)]
trait Calc {
    const MOST: usize;
    fn add(&self, a: i64, #[rpc(context)] context: &Context<'_>) -> i64;
    async fn divide(&self, a: i64, b: i64) -> Outcome<i64>;
    async fn reset(&self);
    #[rpc(notification, idempotent)]
    fn changed(&self, path: &str);
}

fn main() {}
