use rpc_core::RpcError;

#[derive(RpcError)]
enum E {
    #[rpc(code = 1, flatten, message = "a")]
    A,
}

fn main() {}
