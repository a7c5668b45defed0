use rpc_core::rpc;

#[rpc(rename_all_params = "camel")]
trait Calc {
    async fn add(&self, a: i64) -> i64;
}

fn main() {}
