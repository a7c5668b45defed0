use rpc_core::rpc;

#[rpc]
trait Store {
    fn names(&self) -> impl Iterator<Item = String>;
}

fn main() {}
