use rpc_core::{ErrorObject, rpc};

type Outcome<T> = Result<T, ErrorObject>;

#[rpc]
trait Store<K: serde::Serialize + serde::de::DeserializeOwned + Send + 'static> {
    fn get(&self, key: K) -> Outcome<u8>;
}

fn main() {}
