use rpc_core::rpc;

use std::borrow::Cow;

#[derive(serde::Serialize, serde::Deserialize)]
struct Name<'a>(Cow<'a, str>);

#[rpc]
trait Greeter {
    fn greet(&self, name: Name) -> String;
}

fn main() {}
