use rpc_core::{ErrorObject, rpc};
use rpc_core::client::Caller;

trait Named {
    fn name(&self) -> String;
}

#[rpc(client, client_implements_trait)]
trait Api: Named {
    async fn get(&self) -> Result<u8, ErrorObject>;
}

fn used(_: impl Api) {}

fn over(caller: impl Caller) {
    used(ApiClient::new(caller));
}

fn main() {}
