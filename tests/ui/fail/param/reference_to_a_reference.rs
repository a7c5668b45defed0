use rpc_core::rpc;

#[rpc]
trait Calc {
    fn show(&self, word: &&str) -> String;
}

fn main() {}
