use rpc_core::rpc;

#[rpc]
trait Calc {
    #[cfg(not(any()))]
    fn add(&self, a: i64, b: i64) -> i64;
    #[cfg_attr(all(), cfg(all()))]
    #[rpc(name = "add")]
    fn plus(&self, a: i64, b: i64) -> i64;
}

fn main() {}
