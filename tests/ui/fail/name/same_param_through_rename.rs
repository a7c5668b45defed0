use rpc_core::rpc;

#[rpc]
trait Calc {
    fn add(&self, a: i64, #[rpc(rename = "a")] b: i64) -> i64;
}

fn main() {}
