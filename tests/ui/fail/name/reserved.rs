use rpc_core::rpc;

#[rpc]
trait Discover {
    #[rpc(name = "rpc.discover")]
    fn discover(&self) -> String;
}

fn main() {}
