use rpc_core::rpc;

#[rpc]
trait Calc {
    fn show(&self, value: Box<dyn ToString>) -> String;
}

fn main() {}
