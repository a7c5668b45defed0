use rpc_core::rpc;

#[rpc]
trait Calc {
    fn show(&self, text: Option<&'static str>) -> String;
}

fn main() {}
