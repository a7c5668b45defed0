use rpc_core::rpc;

#[rpc]
trait Store {
    fn size(&self) -> Result<u64, Box<dyn std::error::Error>>;
}

fn main() {}
