use rpc_core::RpcError;

#[derive(RpcError)]
enum E {
    #[rpc(cod = 1)]
    A,
}

fn main() {}
