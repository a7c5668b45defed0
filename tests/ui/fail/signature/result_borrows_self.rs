use rpc_core::rpc;

#[rpc]
trait Store {
    fn name(&self) -> &str;
}

fn main() {}
