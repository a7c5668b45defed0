use rpc_core::rpc;

#[derive(serde::Serialize)]
struct Opaque;

#[rpc]
trait Calc {
    fn add(&self, a: i64, b: Opaque) -> i64;
}

fn main() {}
