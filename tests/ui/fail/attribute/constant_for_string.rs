use rpc_core::rpc;

const NAME: &str = "sum";

#[rpc]
trait Calc {
    #[rpc(name = NAME)]
    fn add(&self, a: i64, b: i64) -> i64;
}

fn main() {}
