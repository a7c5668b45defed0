use rpc_core::rpc;

use std::rc::Rc;

#[derive(serde::Serialize, serde::Deserialize)]
struct Local {
    #[serde(skip)]
    shared: Option<Rc<u8>>,
}

#[rpc]
trait Calc {
    async fn add(&self, a: i64, b: Local) -> i64;
}

fn main() {}
