use rpc_core::rpc;

#[rpc]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
