use rpc_core::rpc;

#[rpc]
trait Modem {
    async fn connect(&self, number: &str) -> bool;
}

fn main() {}
