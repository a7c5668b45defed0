use rpc_core::rpc;

#[rpc]
trait Calc {
    fn negate(&self, &a: &i64) -> i64;
}

fn main() {}
