use rpc_core::rpc;

#[rpc]
struct Calc {
    sum: i64,
}

fn main() {}
