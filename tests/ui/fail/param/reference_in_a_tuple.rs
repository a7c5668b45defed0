use rpc_core::rpc;

#[rpc]
trait Calc {
    fn join(&self, words: (&str, u8)) -> String;
}

fn main() {}
