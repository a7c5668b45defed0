use rpc_core::rpc;

#[rpc(crate = "elsewhere::rpc")]
trait Calc {
    fn add(&self, a: i64, b: i64) -> i64;
}

fn main() {}
