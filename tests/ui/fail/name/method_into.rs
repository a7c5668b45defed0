use rpc_core::rpc;

#[rpc]
trait Convert {
    fn into(&self, unit: &str) -> u8;
}

fn main() {}
