use rpc_core::rpc;

#[rpc]
trait Calc {
    fn show(&self, number: i64) -> str;
}

fn main() {}
