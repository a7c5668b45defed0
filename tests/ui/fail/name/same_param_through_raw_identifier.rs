use rpc_core::rpc;

#[rpc]
trait Reflect {
    fn show(&self, r#type: String, #[rpc(rename = "type")] kind: String) -> String;
}

fn main() {}
