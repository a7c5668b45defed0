use rpc_core::rpc;

struct Calc;

#[rpc]
impl Calc {
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {}
