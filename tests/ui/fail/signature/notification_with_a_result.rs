use rpc_core::rpc;

#[rpc]
trait Watch {
    #[rpc(notification)]
    fn changed(&self, path: &str) -> bool;
}

fn main() {}
