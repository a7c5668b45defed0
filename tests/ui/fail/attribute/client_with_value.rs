use rpc_core::rpc;

#[rpc(client = "yes")]
trait Calc {
    async fn add(&self, a: i64) -> i64;
}

fn main() {}
