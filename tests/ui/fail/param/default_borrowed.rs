use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn add(&self, #[rpc(default)] a: &str) -> i64;
}

fn main() {}
