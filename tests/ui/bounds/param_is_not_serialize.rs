use rpc_core::rpc;

#[derive(serde::Deserialize)]
struct Opaque;

#[rpc]
trait Calc {
    fn add(&self, a: i64, b: Opaque) -> i64;
}

fn main() {}
