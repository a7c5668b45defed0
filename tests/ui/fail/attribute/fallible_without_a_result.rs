use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(fallible)]
    fn reset(&self);
}

fn main() {}
