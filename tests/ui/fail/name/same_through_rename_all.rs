use rpc_core::rpc;

#[rpc(rename_all = "camelCase")]
trait Calc {
    fn add_all(&self, a: i64, b: i64) -> i64;
    #[rpc(name = "addAll")]
    fn plus(&self, a: i64, b: i64) -> i64;
}

fn main() {}
