use rpc_core::rpc;

#[rpc]
trait Watch {
    #[rpc(notification)]
    async fn changed(&self, path: &str) -> Result<(), rpc_core::ErrorObject>;
}

fn main() {}
