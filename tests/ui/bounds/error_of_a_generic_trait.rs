use rpc_core::rpc;

#[rpc]
trait Api<T: Send + 'static> {
    async fn parse(&self, text: &str) -> Result<u8, std::num::ParseIntError>;
}

fn main() {}
