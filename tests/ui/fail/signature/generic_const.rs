use rpc_core::rpc;

#[rpc]
trait Store {
    fn put<const N: usize>(&self, value: [u8; N]);
}

fn main() {}
