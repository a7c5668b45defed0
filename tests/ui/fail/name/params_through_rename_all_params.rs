use rpc_core::rpc;

#[rpc(rename_all_params = "camelCase")]
trait Calc {
    async fn add(&self, one_value: i64, #[rpc(rename = "oneValue")] other: i64) -> i64;
}

fn main() {}
