use rpc_core::RpcError;

#[derive(RpcError)]
enum E<'a> {
    #[rpc(code = 1, message = "a")]
    A(&'a str),
}

fn main() {}
