use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(notification, notification)]
    fn forget(&self);
}

fn main() {}
