use rpc_core::{Server, rpc};
use std::cell::Cell;

#[rpc]
trait Counter {
    fn count(&self) -> u64;
}

struct MyCounter(Cell<u64>);

impl Counter for MyCounter {
    fn count(&self) -> u64 {
        self.0.get()
    }
}

fn main() {
    Server::new(CounterService::new(MyCounter(Cell::new(0))));
}
