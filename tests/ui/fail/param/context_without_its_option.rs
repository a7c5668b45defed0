use rpc_core::{Context, rpc};

#[rpc]
trait Calc {
    async fn add(&self, context: &Context<'_>, a: i64) -> i64;
}

fn main() {}
