use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn add(&self, a: i64, b: i64) -> i64;
    async fn subtract(&self, a: i64, b: i64) -> i64;
}

struct MyCalc;

impl Calc for MyCalc {
    async fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {}
