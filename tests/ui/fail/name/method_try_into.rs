use rpc_core::rpc;

#[rpc]
trait Convert {
    fn try_into(&self, unit: &str) -> u8;
}

fn main() {}
