use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(alias = "sub")]
    async fn add(&self, a: i64) -> i64;
    async fn sub(&self, a: i64) -> i64;
}

fn main() {}
