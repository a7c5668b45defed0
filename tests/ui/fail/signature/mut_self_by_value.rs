use rpc_core::rpc;

#[rpc]
trait Counter {
    fn add(mut self, n: i64) -> i64;
}

fn main() {}
