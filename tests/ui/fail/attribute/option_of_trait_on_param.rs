use rpc_core::rpc;

#[rpc]
trait Calc {
    fn add(&self, #[rpc(rename_all = "camelCase")] a: i64, b: i64) -> i64;
}

fn main() {}
