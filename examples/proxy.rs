//! A proxy: it serves nothing itself and forwards every call to another caller, under ids of its own.
//!
//! Both wires are shown. The client's id `"order-7"` never reaches the server behind the proxy, which sees
//! the proxy's own ids; results and errors come back as they are.

use rpc_core::client::{Call, Caller, NotifyCall};
use rpc_core::observe::WireLog;
use rpc_core::server::{RawCall, Router};
use rpc_core::{ClientError, ErrorObject, Server, block_on, rpc};
use serde_json::value::RawValue;
use std::sync::Arc;

#[rpc(namespace = "stock")]
trait Stock {
    /// Takes pieces out of the stock, and gives how many are left.
    async fn take(&self, name: &str, pieces: u32) -> Result<u32, ErrorObject>;
    /// Says that somebody counted. Nobody answers.
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

/// Serves whatever `upstream` serves.
fn proxy<C: Caller + Clone>(upstream: C) -> Server<Router> {
    let forward = move |call: RawCall| {
        let upstream = upstream.clone();
        async move {
            if call.is_notification {
                NotifyCall::new(&upstream, &call.method, &call.params).await?;
                return Ok(None);
            }
            let response = Call::<_, Box<RawValue>>::new(&upstream, &call.method, &call.params).await;
            // An error object goes on as it is; that the server behind was not reached stays here.
            response.map(Some).map_err(ErrorObject::from)
        }
    };
    match Router::builder().fallback(forward).build() {
        Ok(router) => Server::new(router),
        Err(_) => unreachable!("no method has a name, so none is named twice"),
    }
}

fn main() -> Result<(), ClientError> {
    let behind = Server::new(StockService::new(Shelf))
        .observer(Arc::new(WireLog::new(std::io::stdout()).named("        server").without_time()));
    let front =
        proxy(behind.caller()).observer(Arc::new(WireLog::new(std::io::stdout()).named("proxy").without_time()));
    let stock = StockClient::new(front.caller());

    block_on(async {
        let left = stock.take("bolts", 3).id("order-7").await;
        println!("left: {left:?}\n");
        let refused = stock.take("bolts", 30).id("order-8").await;
        println!("refused: {refused:?}\n");
        stock.counted("bolts", 7).await
    })
}
