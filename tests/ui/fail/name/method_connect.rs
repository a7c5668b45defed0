use rpc_core::rpc;

#[rpc]
trait Modem {
    async fn connect(&self, number: &str) -> bool;
    fn connect_blocking(&self) -> bool;
}

fn main() {}
