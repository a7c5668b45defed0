use rpc_core::rpc;

#[derive(serde::Deserialize)]
struct Opaque;

#[rpc]
trait Calc {
    fn get(&self) -> Opaque;
}

fn main() {}
