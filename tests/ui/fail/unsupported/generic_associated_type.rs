use rpc_core::rpc;

#[rpc]
trait Store {
    type Key<'a>
    where
        Self: 'a;
    fn get(&self, key: u64) -> String;
}

fn main() {}
