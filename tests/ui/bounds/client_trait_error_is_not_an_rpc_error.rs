use rpc_core::rpc;

#[rpc(client_implements_trait)]
trait Api {
    async fn parse(&self, text: &str) -> Result<u8, std::num::ParseIntError>;
}

fn main() {}
