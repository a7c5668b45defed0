use rpc_core::RpcError;

#[derive(RpcError)]
enum E {
    #[rpc(code = -32602, reserved, message = "a")]
    A,
}

fn main() {}
