use rpc_core::{Server, rpc};

#[rpc]
trait Counter {
    fn count(&self) -> u64;
}

struct MyCounter;

impl Counter for MyCounter {
    fn count(&self) -> u64 {
        0
    }
}

fn main() {
    Server::new(MyCounter);
}
