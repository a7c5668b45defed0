use rpc_core::rpc;

#[rpc]
trait Store {
    fn names(&self) -> Box<dyn Iterator<Item = String>>;
}

fn main() {}
