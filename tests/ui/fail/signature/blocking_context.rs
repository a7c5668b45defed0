use rpc_core::rpc;

use rpc_core::Context;

#[rpc]
trait Calc {
    #[rpc(blocking)]
    fn add(&self, #[rpc(context)] context: &Context<'_>) -> i64;
}

fn main() {}
