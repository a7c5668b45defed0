use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn add(&self, #[rpc(default, flatten)] a: Vec<i64>) -> i64;
}

fn main() {}
