use rpc_core::rpc;

#[rpc(client_implements_trait)]
trait Calc {
    async fn reset(&self);
}

fn main() {}
