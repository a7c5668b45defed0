use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(blocking)]
    fn add(&self, a: &str) -> i64;
}

fn main() {}
