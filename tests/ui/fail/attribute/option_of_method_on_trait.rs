use rpc_core::rpc;

#[rpc(notification)]
trait Watch {
    fn changed(&self);
}

fn main() {}
