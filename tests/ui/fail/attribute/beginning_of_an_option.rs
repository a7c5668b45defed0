use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(notif)]
    fn forget(&self);
}

fn main() {}
