use rpc_core::rpc;

#[rpc]
trait Counter {
    fn add(n: i64) -> i64;
}

fn main() {}
