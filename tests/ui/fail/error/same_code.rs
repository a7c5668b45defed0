use rpc_core::RpcError;

#[derive(RpcError)]
enum E {
    #[rpc(code = 1, message = "a")]
    A,
    #[rpc(code = 1, message = "b")]
    B,
}

fn main() {}
