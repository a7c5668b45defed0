use rpc_core::rpc;

#[rpc]
trait Store {
    type Key;
    fn get(&self, key: u64) -> String;
}

fn main() {}
