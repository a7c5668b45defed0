use rpc_core::{ErrorObject, rpc};

#[rpc]
trait Calc {
    #[rpc(infallible)]
    fn divide(&self, a: i64, b: i64) -> Result<i64, ErrorObject>;
}

fn main() {}
