use rpc_core::rpc;

#[rpc]
trait Reflect {
    fn r#type(&self) -> String;
    #[rpc(name = "type")]
    fn kind(&self) -> String;
}

fn main() {}
