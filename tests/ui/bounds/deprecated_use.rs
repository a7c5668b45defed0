#![deny(deprecated)]

use rpc_core::rpc;
use rpc_core::client::Caller;

#[rpc]
trait Calc {
    #[deprecated(note = "call `add`")]
    fn plus(&self, a: i64, b: i64) -> i64;
}

fn call<C: Caller>(client: CalcClient<C>) {
    drop(client.plus(1, 2));
}

fn main() {}
