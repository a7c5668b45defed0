use rpc_core::rpc;

trait Base {
    type Item: serde::Serialize;
}

#[rpc]
trait Store: Base {
    fn get(&self, key: u8) -> Self::Item;
}

fn main() {}
