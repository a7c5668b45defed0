use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(notification(true))]
    fn forget(&self);
}

fn main() {}
