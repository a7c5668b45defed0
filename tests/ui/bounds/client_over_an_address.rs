use rpc_core::rpc;

#[rpc]
trait Counter {
    fn how_many(&self) -> u64;
}

fn main() {
    let client = CounterClient::new("tcp://127.0.0.1:4000");
    drop(client.how_many());
}
