use rpc_core::rpc;

#[rpc]
trait Calc {
    fn parse(&self, text: &str) -> Result<i64, String>;
}

fn main() {}
