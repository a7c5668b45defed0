use rpc_core::rpc;

#[rpc]
trait Calc {
    fn sort(&self, list: &mut Vec<i64>);
}

fn main() {}
