use rpc_core::rpc;

#[rpc]
type Number = i64;

fn main() {}
