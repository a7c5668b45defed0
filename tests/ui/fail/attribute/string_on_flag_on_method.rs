use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(notification = "yes")]
    fn forget(&self);
}

fn main() {}
