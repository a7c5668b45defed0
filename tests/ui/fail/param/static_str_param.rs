use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn show(&self, text: &'static str) -> String;
}

fn main() {}
