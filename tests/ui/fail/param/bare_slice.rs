use rpc_core::rpc;

#[rpc]
trait Calc {
    fn sum(&self, numbers: [i64]) -> i64;
}

fn main() {}
