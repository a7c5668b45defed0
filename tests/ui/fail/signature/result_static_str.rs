use rpc_core::rpc;

#[rpc]
trait Store {
    fn name(&self) -> &'static str;
}

fn main() {}
