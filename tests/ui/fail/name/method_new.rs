use rpc_core::rpc;

#[rpc]
trait Sessions {
    fn new(&self, user: &str) -> u64;
}

fn main() {}
