use rpc_core::rpc;

#[rpc]
trait Calc {
    fn sum(&self, #[rpc(flatten)] left: Vec<i64>, #[rpc(flatten)] right: Vec<i64>) -> i64;
}

fn main() {}
