use rpc_core::rpc;

#[rpc]
trait Phone {
    async fn caller(&self) -> String;
}

fn main() {}
