use rpc_core::rpc;

#[rpc]
trait Calc {
    fn add(self, a: i64) -> i64 {
        a
    }
}

fn main() {}
