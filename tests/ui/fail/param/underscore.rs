use rpc_core::rpc;

#[rpc]
trait Calc {
    fn negate(&self, _: i64) -> i64;
}

fn main() {}
