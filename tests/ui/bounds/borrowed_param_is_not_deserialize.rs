use rpc_core::rpc;

#[derive(serde::Serialize)]
struct Opaque;

#[rpc]
trait Calc {
    async fn add(&self, a: i64, b: &Opaque, c: &[Opaque], d: Option<&Opaque>) -> i64;
}

fn main() {}
