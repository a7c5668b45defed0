use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(blocking)]
    async fn add(&self, a: i64) -> i64;
}

fn main() {}
