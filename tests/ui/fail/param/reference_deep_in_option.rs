use rpc_core::rpc;

#[rpc]
trait Calc {
    fn join(&self, words: Option<Vec<&str>>) -> String;
}

fn main() {}
