use rpc_core::rpc;

#[rpc]
trait Calc: Sized {
    fn zero(&self) -> Option<Self>;
}

fn main() {}
