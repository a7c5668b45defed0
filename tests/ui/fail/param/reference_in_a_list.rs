use rpc_core::rpc;

#[rpc]
trait Calc {
    fn join(&self, words: Vec<&str>) -> String;
}

fn main() {}
