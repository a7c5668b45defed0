use rpc_core::rpc;

#[rpc]
trait Counter {
    async fn add(&mut self, n: i64) -> i64 {
        n
    }
}

fn main() {}
