use rpc_core::{Server, rpc};

#[rpc]
trait Counter {
    fn count(&self) -> u64;
}

struct MyCounter;

fn main() {
    Server::new(CounterService::new(MyCounter));
}
