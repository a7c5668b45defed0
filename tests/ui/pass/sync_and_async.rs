//! Sync and async methods, with and without parameters and results.

use rpc_core::{Server, block_on, rpc};

#[rpc]
trait Calc {
    fn add(&self, a: i64, b: i64) -> i64;
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64;
    fn reset(&self);
    async fn reset_later(&self) -> ();
    fn zero(&self) -> i64;
    async fn one(&self) -> i64;
}

struct MyCalc;

impl Calc for MyCalc {
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn subtract(&self, minuend: i64, subtrahend: i64) -> i64 {
        minuend - subtrahend
    }
    fn reset(&self) {}
    async fn reset_later(&self) {}
    fn zero(&self) -> i64 {
        0
    }
    fn one(&self) -> impl Future<Output = i64> + Send {
        std::future::ready(1)
    }
}

fn main() {
    let server = Server::new(CalcService::new(MyCalc));
    let check = |request: &str, result: &str| {
        let request = format!(r#"{{"jsonrpc":"2.0",{request},"id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response));
    };
    check(r#""method":"add","params":[1,2]"#, "3");
    check(r#""method":"add","params":{"b":1,"a":2}"#, "3");
    check(r#""method":"subtract","params":[42,23]"#, "19");
    check(r#""method":"reset""#, "null");
    check(r#""method":"reset_later","params":[]"#, "null");
    check(r#""method":"zero","params":{}"#, "0");
    check(r#""method":"one""#, "1");

    let client = CalcClient::new(server.caller());
    block_on(async {
        assert_eq!(client.add(1, 2).await.unwrap(), 3);
        assert_eq!(client.subtract(1, 2).await.unwrap(), -1);
        client.reset().await.unwrap();
        client.reset_later().await.unwrap();
        assert_eq!(client.zero().await.unwrap(), 0);
        assert_eq!(client.one().await.unwrap(), 1);
    });
}
