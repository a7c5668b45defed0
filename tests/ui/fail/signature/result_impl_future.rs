use rpc_core::rpc;

#[rpc]
trait Store {
    fn size(&self) -> impl Future<Output = u64> + Send;
}

fn main() {}
