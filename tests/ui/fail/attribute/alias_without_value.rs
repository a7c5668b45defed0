use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(alias)]
    async fn add(&self, a: i64) -> i64;
}

fn main() {}
