use rpc_core::rpc;

#[rpc]
trait Calc: Sized {
    fn add(&self, other: Self) -> i64;
}

fn main() {}
