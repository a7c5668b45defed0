use rpc_core::rpc;

#[rpc]
trait Calc {
    fn join(&self, words: &[&str]) -> String;
}

fn main() {}
