use rpc_core::rpc;

#[rpc]
trait Counter {
    fn zero() -> i64;
}

fn main() {}
