#![deny(unused_must_use)]

use rpc_core::rpc;
use rpc_core::client::Caller;

#[rpc]
trait Calc {
    fn add(&self, a: i64, b: i64) -> i64;
    #[rpc(notification)]
    fn forget(&self);
}

fn call<C: Caller>(client: CalcClient<C>) {
    client.add(1, 2);
    client.forget();
}

fn main() {}
