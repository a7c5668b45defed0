use rpc_core::rpc;

#[rpc(rename_all = "PascalCase")]
trait Calc {
    fn add2(&self, a: i64, b: i64) -> i64;
    fn add_2(&self, a: i64, b: i64) -> i64;
}

fn main() {}
