use rpc_core::rpc;

#[rpc]
trait Calc {
    fn sum(&self, #[rpc(flatten())] numbers: Vec<i64>) -> i64;
}

fn main() {}
