use rpc_core::rpc;

use std::borrow::Cow;

#[rpc]
trait Store {
    fn name(&self) -> Cow<'_, str>;
}

fn main() {}
