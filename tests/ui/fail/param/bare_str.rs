use rpc_core::rpc;

#[rpc]
trait Calc {
    fn show(&self, text: str) -> String;
}

fn main() {}
