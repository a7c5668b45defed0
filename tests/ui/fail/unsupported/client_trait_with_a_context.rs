use rpc_core::{Context, ErrorObject, rpc};

#[rpc(client_implements_trait)]
trait Known {
    async fn who(&self, #[rpc(context)] context: &Context<'_>) -> Result<String, ErrorObject>;
}

fn main() {}
