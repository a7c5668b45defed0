use rpc_core::rpc;

#[rpc]
trait Calc {
    #[rpc(notification = )]
    fn forget(&self);
}

fn main() {}
