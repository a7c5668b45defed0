//! A trait with a constant parameter.

use rpc_core::{CallError, ErrorObject, Server, block_on, rpc};
use serde::{Serialize, de::DeserializeOwned};

#[rpc]
trait Api<const N: usize>
where
    [u8; N]: Serialize + DeserializeOwned,
{
    async fn echo(&self, bytes: [u8; N]) -> [u8; N];
    fn first(&self, bytes: &[[u8; N]]) -> Result<[u8; N], ErrorObject>;
    fn size(&self) -> usize;
}

struct Me;

impl Api<3> for Me {
    async fn echo(&self, bytes: [u8; 3]) -> [u8; 3] {
        bytes
    }
    fn first(&self, bytes: &[[u8; 3]]) -> Result<[u8; 3], ErrorObject> {
        bytes.first().copied().ok_or_else(|| ErrorObject::new(1, "none"))
    }
    fn size(&self) -> usize {
        3
    }
}

fn main() -> Result<(), CallError<ErrorObject>> {
    let server = Server::new(ApiService::<3, _>::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"echo","params":[[1,2,3]],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":[1,2,3],"id":1}"#);
    let client = ApiClient::<3, _>::new(server.caller());
    assert_eq!(block_on(client.first(&[[4, 5, 6]]))?, [4, 5, 6]);
    assert_eq!(block_on(client.size()).unwrap(), 3);
    Ok(())
}
