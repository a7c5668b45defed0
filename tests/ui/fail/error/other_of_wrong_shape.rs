use rpc_core::RpcError;

#[derive(RpcError)]
enum E {
    #[rpc(other)]
    A,
}

fn main() {}
