use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(nmae = "sum")]
    async fn add(&self, a: i64, b: i64) -> i64;
}

struct MyCalc;

impl Calc for MyCalc {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    let sum: &str = 1_i64 + 2;
    drop(sum);
}
