//! A proxy: forwards every call to an upstream server, with ids of its own.
//!
//! Prints the messages on both sides of the proxy. The id `"order-7"` of the client does not reach the upstream server,
//! which gets the ids of the proxy. Results and errors come back unchanged.

use rpc_core::client::{Call, Caller, NotifyCall};
use rpc_core::observe::WireLog;
use rpc_core::server::{RawCall, Router};
use rpc_core::{ClientError, ErrorObject, Server, block_on, rpc};
use serde_json::value::RawValue;

#[rpc(namespace = "stock")]
trait Stock {
    /// Takes pieces out of the stock and returns how many are left.
    async fn take(&self, name: &str, pieces: u32) -> Result<u32, ErrorObject>;
    /// Reports the result of a stocktaking.
    #[rpc(notification)]
    async fn counted(&self, name: &str, pieces: u32);
}

struct Shelf;

impl Stock for Shelf {
    async fn take(&self, _name: &str, pieces: u32) -> Result<u32, ErrorObject> {
        10_u32.checked_sub(pieces).ok_or_else(|| ErrorObject::new(1, "not enough left").with_data(&10))
    }
    async fn counted(&self, _name: &str, _pieces: u32) {}
}

/// Returns a server that forwards every call to `upstream`.
fn proxy<C: Caller + Clone>(upstream: C) -> Server<Router> {
    let forward = move |call: RawCall| {
        let upstream = upstream.clone();
        async move {
            if call.is_notification {
                NotifyCall::new(&upstream, &call.method, &call.params).await?;
                return Ok(None);
            }
            let response = Call::<_, Box<RawValue>>::new(&upstream, &call.method, &call.params).await;
            // An error object of the upstream server is returned unchanged. Any other error becomes an internal error.
            response.map(Some).map_err(ErrorObject::from)
        }
    };
    match Router::builder().fallback(forward).build() {
        Ok(router) => Server::new(router),
        Err(_) => unreachable!("a router without methods has no duplicate names"),
    }
}

fn main() -> Result<(), ClientError> {
    let log = |name| WireLog::new(std::io::stdout()).named(name).without_time();
    let upstream = Server::new(StockService::new(Shelf)).observer(log("        server"));
    let proxy = proxy(upstream.caller()).observer(log("proxy"));
    let stock = StockClient::new(proxy.caller());

    block_on(async {
        let left = stock.take("bolts", 3).id("order-7").await;
        println!("left: {left:?}\n");
        let refused = stock.take("bolts", 30).id("order-8").await;
        println!("refused: {refused:?}\n");
        stock.counted("bolts", 7).await
    })
}
