//! The futures of an implementation and of a client's calls are `Send`.

use rpc_core::{Server, block_on, rpc};
use rpc_core::client::{Caller, InProcess};

#[rpc]
trait Calc {
    async fn add(&self, a: i64, b: &str) -> i64;
    async fn twice(&self, text: &str) -> String {
        let text = std::future::ready(text).await;
        text.repeat(2)
    }
}

struct MyCalc;

impl Calc for MyCalc {
    async fn add(&self, a: i64, b: &str) -> i64 {
        a + i64::try_from(b.len()).unwrap()
    }
}

fn elsewhere<F: Future<Output: Send + 'static> + Send + 'static>(future: F) -> F::Output {
    std::thread::spawn(|| block_on(future)).join().unwrap()
}

fn generic<S: Calc + Send + Sync + 'static>(calc: S) -> i64 {
    elsewhere(async move { calc.add(1, "two").await })
}

fn over_any_caller<C: Caller>(client: CalcClient<C>) -> String {
    elsewhere(async move { client.twice("ab").await.unwrap() })
}

fn send_and_sync<T: Send + Sync + 'static>(_: &T) {}

fn main() {
    assert_eq!(generic(MyCalc), 4);
    let server = Server::new(CalcService::new(MyCalc));
    let client: CalcClient<InProcess<CalcService<MyCalc>>> = CalcClient::new(server.caller());
    send_and_sync(&client);
    send_and_sync(&server);
    // The future of a sent call borrows nothing.
    let sent = client.add(1, &"two".to_owned()).into_future();
    assert_eq!(elsewhere(sent).unwrap(), 4);
    assert_eq!(over_any_caller(client), "abab");
    let response = elsewhere(async move {
        server.handle(r#"{"jsonrpc":"2.0","method":"twice","params":["x"],"id":1}"#).await.unwrap()
    });
    assert_eq!(response, r#"{"jsonrpc":"2.0","result":"xx","id":1}"#);
}
