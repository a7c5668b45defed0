use rpc_core::rpc;

use rpc_core::Context;

#[rpc]
trait Calc {
    async fn add(&self, #[rpc(context)] a: &Context<'_>, #[rpc(context)] b: &Context<'_>) -> i64;
}

fn main() {}
