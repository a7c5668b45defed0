use rpc_core::rpc;

#[rpc]
trait Store {
    fn put<T: serde::Serialize>(&self, value: T);
}

fn main() {}
