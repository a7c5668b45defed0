use rpc_core::RpcError;

#[derive(RpcError)]
struct E;

fn main() {}
