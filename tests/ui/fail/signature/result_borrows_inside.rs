use rpc_core::rpc;

#[rpc]
trait Store {
    fn names(&self) -> Vec<&str>;
}

fn main() {}
