use rpc_core::rpc;

#[rpc]
trait Counter {
    fn add(self: Box<Self>, n: i64) -> i64;
}

fn main() {}
