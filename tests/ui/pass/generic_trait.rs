//! A generic trait: parameter types from a configuration type that is neither `Clone` nor serializable.

use rpc_core::{ErrorObject, Server, block_on, rpc};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;

trait Config: 'static {
    type Key: Serialize + DeserializeOwned + Send + Clone;
}

#[rpc(namespace = "api")]
trait Api<C: Config>
where
    C::Key: Ord,
{
    fn get(&self, k: C::Key) -> BTreeMap<C::Key, u8>;
    async fn later(&self, k: C::Key) -> Result<C::Key, ErrorObject>;
    fn plain(&self, n: u8) -> u8;
}

struct Text;
impl Config for Text {
    type Key = String;
}

struct Numbers;
impl Config for Numbers {
    type Key = u8;
}

struct Me;

impl<C: Config> Api<C> for Me
where
    C::Key: Ord,
{
    fn get(&self, k: C::Key) -> BTreeMap<C::Key, u8> {
        BTreeMap::from([(k, 1)])
    }
    async fn later(&self, k: C::Key) -> Result<C::Key, ErrorObject> {
        Ok(k)
    }
    fn plain(&self, n: u8) -> u8 {
        n
    }
}

fn main() {
    let server = Server::new(ApiService::<Text, _>::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"api.get","params":["a"],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":{"a":1},"id":1}"#);
    let client = ApiClient::<Text, _>::new(server.caller());
    assert_eq!(block_on(client.get("b".to_owned())).unwrap(), BTreeMap::from([("b".to_owned(), 1)]));

    let server = Server::new(ApiService::<Numbers, _>::new(Me));
    let client = ApiClient::<Numbers, _>::new(server.caller()).clone();
    assert_eq!(block_on(client.later(7)).unwrap(), 7);
    assert_eq!(block_on(client.plain(7)).unwrap(), 7);
}
