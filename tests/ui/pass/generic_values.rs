//! Type parameters as values, with defaults, bounds and constants.

use rpc_core::{Server, block_on, rpc};
use serde::{Serialize, de::DeserializeOwned};

#[rpc]
trait Store<K, V = u8>
where
    K: Serialize + DeserializeOwned + Send + 'static,
    V: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn put(&self, key: K, value: V) -> (K, V);
    async fn all(&self, keys: Vec<K>) -> Vec<K>;
    fn maybe(&self, value: Option<V>) -> Option<V>;
    async fn borrowed(&self, text: &str, value: &V) -> usize;
}

#[rpc]
trait Fixed<const N: usize> {
    fn size(&self) -> usize;
    async fn times(&self, n: usize) -> usize;
}

struct Me;

impl Store<String> for Me {
    fn put(&self, key: String, value: u8) -> (String, u8) {
        (key, value)
    }
    async fn all(&self, keys: Vec<String>) -> Vec<String> {
        keys
    }
    fn maybe(&self, value: Option<u8>) -> Option<u8> {
        value
    }
    async fn borrowed(&self, text: &str, _value: &u8) -> usize {
        text.len()
    }
}

impl<const N: usize> Fixed<N> for Me {
    fn size(&self) -> usize {
        N
    }
    async fn times(&self, n: usize) -> usize {
        n * N
    }
}

fn main() {
    let server = Server::new(StoreService::<String, u8, _>::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"put","params":["a",1],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":["a",1],"id":1}"#);
    let client = StoreClient::<String, u8, _>::new(server.caller());
    assert_eq!(block_on(client.all(vec!["a".to_owned()])).unwrap(), ["a"]);
    assert_eq!(block_on(client.maybe(None)).unwrap(), None);
    assert_eq!(block_on(client.borrowed("abc", &1)).unwrap(), 3);

    let server = Server::new(FixedService::<3, _>::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"times","params":[2],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":6,"id":1}"#);
    assert_eq!(block_on(FixedClient::<3, _>::new(server.caller()).size()).unwrap(), 3);
}
