use rpc_core::rpc;

#[rpc(namespace("calc"))]
trait Calc {
    fn add(&self, a: i64, b: i64) -> i64;
}

fn main() {}
