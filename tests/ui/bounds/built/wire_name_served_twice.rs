use rpc_core::{Server, rpc};

#[rpc]
trait A {
    fn get(&self) -> u8;
}

#[rpc]
trait B {
    #[rpc(name = "get")]
    fn fetch(&self) -> u8;
}

struct Both;

impl A for Both {
    fn get(&self) -> u8 {
        1
    }
}
impl B for Both {
    fn fetch(&self) -> u8 {
        2
    }
}

fn main() {
    Server::new((AService::new(Both), BService::new(Both)));
}
