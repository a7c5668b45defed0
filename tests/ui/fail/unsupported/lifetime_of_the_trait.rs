use rpc_core::rpc;

#[rpc]
trait Store<'a> {
    fn get(&self, key: &'a str) -> String;
}

fn main() {}
