use rpc_core::rpc;

#[rpc(rename_all = "PascalCase")]
trait Calc {
    fn __(&self);
}

fn main() {}
