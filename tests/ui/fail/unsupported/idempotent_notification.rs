use rpc_core::rpc;

#[rpc]
trait Watch {
    #[rpc(notification, idempotent)]
    async fn changed(&self, path: &str);
}

fn main() {}
