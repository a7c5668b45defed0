use rpc_core::RpcError;

#[derive(RpcError)]
enum E {
    #[rpc(other)]
    A(rpc_core::ErrorObject),
    #[rpc(other)]
    B(rpc_core::ErrorObject),
}

fn main() {}
