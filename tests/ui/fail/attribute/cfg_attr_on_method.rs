use rpc_core::rpc;

#[rpc]
trait Calc {
    #[cfg_attr(all(), rpc(name = "sum"))]
    fn add(&self, a: i64, b: i64) -> i64;
}

fn main() {}
