use rpc_core::rpc;

use rpc_core::Context;

#[rpc]
trait Calc {
    async fn add(&self, #[rpc(context, rename = "x")] context: &Context<'_>) -> i64;
}

fn main() {}
