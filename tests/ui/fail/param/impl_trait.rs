use rpc_core::rpc;

#[rpc]
trait Calc {
    fn show(&self, value: impl ToString) -> String;
}

fn main() {}
