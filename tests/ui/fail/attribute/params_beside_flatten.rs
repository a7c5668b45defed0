use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(params = "by_position")]
    fn sum(&self, #[rpc(flatten)] numbers: Vec<i64>) -> i64;
}

fn main() {}
