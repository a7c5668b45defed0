use rpc_core::rpc;

#[rpc(namespace = "rpc")]
trait Discover {
    fn discover(&self) -> String;
}

fn main() {}
