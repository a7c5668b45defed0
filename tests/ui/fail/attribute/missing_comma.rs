use rpc_core::rpc;

#[rpc]
trait Watch {
    #[rpc(name = "changed" notification)]
    fn file_changed(&self);
}

fn main() {}
