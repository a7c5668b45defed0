use rpc_core::rpc;

#[derive(serde::Serialize)]
struct Opaque {
    a: i64,
}

#[rpc]
trait Calc {
    fn add(&self, #[rpc(flatten)] all: Opaque) -> i64;
}

fn main() {}
