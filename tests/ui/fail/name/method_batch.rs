use rpc_core::rpc;

#[rpc]
trait Jobs {
    fn batch(&self, names: Vec<String>) -> u64;
}

fn main() {}
