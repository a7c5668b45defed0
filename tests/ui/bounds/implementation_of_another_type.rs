use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn zero(&self) -> i64;
}

struct MyCalc;

impl Calc for MyCalc {
    async fn zero(&self) -> i32 {
        0
    }
}

fn main() {}
