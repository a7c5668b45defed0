use rpc_core::rpc;

#[rpc]
trait Calc {
    fn add(&self, a: i64, b: i64) -> i64;
    #[cfg(all())]
    #[rpc(name = "add")]
    fn plus(&self, a: i64, b: i64) -> i64;
}

fn main() {}
