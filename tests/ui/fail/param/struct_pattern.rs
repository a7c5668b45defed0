use rpc_core::rpc;

#[derive(serde::Deserialize, serde::Serialize)]
struct Pair {
    a: i64,
    b: i64,
}

#[rpc]
trait Calc {
    fn add(&self, Pair { a, b }: Pair) -> i64;
}

fn main() {}
