use rpc_core::rpc;

#[rpc]
trait Calc {
    async fn negate(&self, mut a: i64) -> i64 {
        a = -a;
        a
    }
}

fn main() {}
