use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(infallible)]
    fn reset(&self);
}

fn main() {}
