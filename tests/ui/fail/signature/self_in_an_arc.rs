use rpc_core::rpc;

#[rpc]
trait Counter {
    fn add(self: std::sync::Arc<Self>, n: i64) -> i64;
}

fn main() {}
