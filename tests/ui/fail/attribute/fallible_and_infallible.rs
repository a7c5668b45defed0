use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(fallible, infallible)]
    fn divide(&self, a: i64, b: i64) -> Result<i64, rpc_core::ErrorObject>;
}

fn main() {}
