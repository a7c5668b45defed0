use rpc_core::rpc;

use std::num::ParseIntError;

#[rpc]
trait Calc {
    async fn parse(&self, text: &str) -> Result<i64, ParseIntError>;
}

fn main() {}
