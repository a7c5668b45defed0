use rpc_core::{ErrorObject, rpc};

#[rpc(client_implements_trait)]
trait Files {
    #[rpc(blocking)]
    fn size(&self, path: String) -> Result<u64, ErrorObject>;
}

fn main() {}
