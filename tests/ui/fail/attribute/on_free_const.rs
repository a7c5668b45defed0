use rpc_core::rpc;

#[rpc]
const LIMIT: i64 = 1;

fn main() {}
