use rpc_core::rpc;

#[rpc(client_implements_trait)]
trait Watch {
    #[rpc(notification)]
    fn changed(&self, path: &str);
}

fn main() {}
