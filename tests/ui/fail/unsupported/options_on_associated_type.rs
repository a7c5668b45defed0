use rpc_core::rpc;

#[rpc]
trait Store {
    #[rpc(name = "key")]
    type Key;
    fn get(&self, key: u64) -> String;
}

fn main() {}
