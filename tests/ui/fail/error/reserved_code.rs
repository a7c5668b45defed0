use rpc_core::RpcError;

#[derive(RpcError)]
enum E {
    #[rpc(code = -32001, message = "a")]
    A,
}

fn main() {}
