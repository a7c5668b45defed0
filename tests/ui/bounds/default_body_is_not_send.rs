use rpc_core::rpc;

use std::rc::Rc;

#[rpc]
trait Calc {
    async fn add(&self, a: i64, b: i64) -> i64 {
        let shared = Rc::new(a);
        std::future::ready(()).await;
        *shared + b
    }
}

fn main() {}
