use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn add(&self, #[rpc(default = "7")] a: i64) -> i64;
}

fn main() {}
