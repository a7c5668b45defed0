use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(fallible)]
    fn add(&self, a: i64, b: i64) -> i64;
}

fn main() {}
