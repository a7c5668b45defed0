use rpc_core::rpc;

#[rpc]
trait Store {
    fn put<'a>(&self, key: &'a str, value: &'a str);
}

fn main() {}
