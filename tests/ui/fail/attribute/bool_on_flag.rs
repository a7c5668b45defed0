use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(fallible = true)]
    fn add(&self, a: i64, b: i64) -> Result<i64, rpc_core::ErrorObject>;
}

fn main() {}
