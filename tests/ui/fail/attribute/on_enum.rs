use rpc_core::rpc;

#[rpc]
enum Calc {
    Add(i64),
}

fn main() {}
