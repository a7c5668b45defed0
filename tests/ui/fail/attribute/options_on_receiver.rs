use rpc_core::rpc;

#[rpc]
trait Calc {
    fn add(#[rpc(rename = "x")] &self, a: i64, b: i64) -> i64;
}

fn main() {}
