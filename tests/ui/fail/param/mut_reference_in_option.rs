use rpc_core::rpc;

#[rpc]
trait Calc {
    fn sort(&self, list: Option<&mut [i64]>);
}

fn main() {}
