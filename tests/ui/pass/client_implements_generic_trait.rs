//! A generic trait that the client implements, with bounds on the trait's parameters.

#![deny(warnings)]

use rpc_core::{ClientError, ErrorObject, RpcError, Server, block_on, rpc};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;

trait Config: 'static {
    type Key: Ord + Clone;
    type Error: Debug;
}

type Outcome<T, E> = Result<T, E>;

/// An error with a type parameter.
#[derive(Debug)]
struct Failed<C>(ErrorObject, PhantomData<C>);

impl<C> RpcError for Failed<C> {
    fn into_object(self) -> ErrorObject {
        self.0
    }
    fn from_object(object: ErrorObject) -> Result<Self, ErrorObject> {
        Ok(Failed(object, PhantomData))
    }
}
impl<C> From<ClientError> for Failed<C> {
    fn from(error: ClientError) -> Self {
        Failed(error.into(), PhantomData)
    }
}

#[derive(Serialize, Deserialize)]
struct Page<'a, K> {
    #[serde(borrow)]
    title: Cow<'a, str>,
    keys: Vec<K>,
}

#[rpc(client_implements_trait)]
trait Api<C: Config, const N: usize>: Send + Sync + Clone + 'static
where
    C::Key: Debug,
{
    async fn get(&self, key: C::Key) -> Result<BTreeMap<C::Key, u8>, ErrorObject>;
    async fn borrowed(&self, key: &C::Key, keys: &[C::Key], maybe: Option<&C::Key>) -> Result<C::Key, C::Error>
    where
        C::Key: Ord;
    #[rpc(fallible)]
    async fn otherwise(&self, key: C::Key) -> Outcome<C::Key, C::Error>;
    async fn failed(&self) -> Result<(), Failed<C>>;
    async fn page(&self, page: Page<'_, u8>) -> Result<usize, ErrorObject>;
    async fn whole(&self, #[rpc(flatten)] keys: &[C::Key]) -> Result<usize, ErrorObject>;
    async fn plain(&self, n: u8) -> Result<u8, ErrorObject>;
    #[rpc(notification)]
    async fn notified(&self, key: &C::Key);
}

/// The type parameter is a result itself.
#[rpc(client_implements_trait)]
trait Store<T: Send + Sync, R = ()> {
    async fn put(&self, value: T) -> Result<T, ErrorObject>;
    async fn other(&self) -> Result<R, ErrorObject>;
}

struct Text;
impl Config for Text {
    type Key = String;
    type Error = ErrorObject;
}

#[derive(Clone)]
struct Local;

impl<C: Config, const N: usize> Api<C, N> for Local
where
    C::Key: Debug + Send + Sync,
    C::Error: From<ErrorObject>,
{
    async fn get(&self, key: C::Key) -> Result<BTreeMap<C::Key, u8>, ErrorObject> {
        Ok(BTreeMap::from([(key, 1)]))
    }
    async fn borrowed(&self, key: &C::Key, keys: &[C::Key], maybe: Option<&C::Key>) -> Result<C::Key, C::Error> {
        let all = 1 + keys.len() + usize::from(maybe.is_some());
        if all == N { Ok(key.clone()) } else { Err(ErrorObject::new(all as i64, "").into()) }
    }
    async fn otherwise(&self, key: C::Key) -> Outcome<C::Key, C::Error> {
        Ok(key)
    }
    async fn failed(&self) -> Result<(), Failed<C>> {
        Err(Failed(ErrorObject::new(1, "always"), PhantomData))
    }
    async fn page(&self, page: Page<'_, u8>) -> Result<usize, ErrorObject> {
        Ok(page.title.len() + page.keys.len())
    }
    async fn whole(&self, keys: &[C::Key]) -> Result<usize, ErrorObject> {
        Ok(keys.len())
    }
    async fn plain(&self, n: u8) -> Result<u8, ErrorObject> {
        Ok(n)
    }
    async fn notified(&self, _: &C::Key) {}
}

impl<T: Send + Sync> Store<T> for Local {
    async fn put(&self, value: T) -> Result<T, ErrorObject> {
        Ok(value)
    }
    async fn other(&self) -> Result<(), ErrorObject> {
        Ok(())
    }
}

async fn everywhere<C: Config, A: Api<C, 3>>(api: A, key: C::Key)
where
    C::Key: Debug,
{
    let api = api.clone();
    assert_eq!(api.get(key.clone()).await.unwrap(), BTreeMap::from([(key.clone(), 1)]));
    let keys = [key.clone()];
    assert_eq!(api.borrowed(&key, &keys, Some(&key)).await.unwrap(), key);
    assert!(format!("{:?}", api.borrowed(&key, &keys, None).await).contains("code: 2"));
    assert_eq!(api.otherwise(key.clone()).await.unwrap(), key);
    assert_eq!(api.failed().await.unwrap_err().0.message, "always");
    assert_eq!(api.page(Page { title: "ab".into(), keys: vec![1] }).await, Ok(3));
    assert_eq!(api.whole(&keys).await, Ok(1));
    assert_eq!(api.plain(1).await, Ok(1));
    api.notified(&key).await;
}

async fn stored<T: PartialEq + Debug + Clone + Send + Sync>(store: impl Store<T>, value: T) {
    assert_eq!(store.put(value.clone()).await, Ok(value));
    assert_eq!(store.other().await, Ok(()));
}

/// A client implements the trait for each serializable type.
async fn over<T: PartialEq + Debug + Clone + Send + Sync + Serialize + DeserializeOwned + 'static>(value: T) {
    stored(StoreClient::<T, (), _>::new(Server::new(StoreService::<T, (), _>::new(Local)).caller()), value).await;
}

fn main() {
    let client = ApiClient::<Text, 3, _>::new(Server::new(ApiService::<Text, 3, _>::new(Local)).caller());
    block_on(everywhere::<Text, _>(Local, "a".to_owned()));
    block_on(everywhere::<Text, _>(client, "a".to_owned()));
    block_on(stored(Local, vec![1]));
    block_on(over(vec![1]));
}
