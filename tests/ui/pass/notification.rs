//! A notification has no response. A call of it with an id returns null.

use rpc_core::{Server, block_on, rpc};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[rpc]
trait Watch {
    #[rpc(notification)]
    fn changed(&self, path: &str);
    #[rpc(notification, name = "gone")]
    async fn removed(&self, path: &str) -> ();
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Watch for Count {
    fn changed(&self, _path: &str) {
        self.0.fetch_add(1, Relaxed);
    }
    async fn removed(&self, _path: &str) {
        self.0.fetch_add(10, Relaxed);
    }
}

fn main() {
    let count = Arc::new(Count::default());
    let server = Server::new(WatchService::from(count.clone()));
    assert_eq!(server.handle_blocking(r#"{"jsonrpc":"2.0","method":"changed","params":["a"]}"#), None);
    assert_eq!(
        server.handle_blocking(r#"{"jsonrpc":"2.0","method":"gone","params":["a"],"id":1}"#).as_deref(),
        Some(r#"{"jsonrpc":"2.0","result":null,"id":1}"#)
    );

    let client = WatchClient::new(server.caller());
    block_on(async {
        client.changed("a").await.unwrap();
        client.removed("a").await.unwrap();
    });
    assert_eq!(count.0.load(Relaxed), 22);
}
