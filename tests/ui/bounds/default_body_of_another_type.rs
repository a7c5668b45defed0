use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn zero(&self) -> i64 {
        "nothing"
    }
}

fn main() {}
