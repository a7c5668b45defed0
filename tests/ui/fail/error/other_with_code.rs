use rpc_core::RpcError;

#[derive(RpcError)]
enum E {
    #[rpc(code = 1, other)]
    A(rpc_core::ErrorObject),
}

fn main() {}
