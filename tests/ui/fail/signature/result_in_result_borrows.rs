use rpc_core::rpc;

#[rpc]
trait Store {
    async fn name(&self) -> Result<&str, rpc_core::ErrorObject>;
}

fn main() {}
