use rpc_core::rpc;

#[rpc]
trait Calc {
    fn show(&self, value: &dyn ToString) -> String;
}

fn main() {}
