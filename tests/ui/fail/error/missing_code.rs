use rpc_core::RpcError;

#[derive(RpcError)]
enum E {
    #[rpc(code = 1, message = "a")]
    A,
    B,
}

fn main() {}
