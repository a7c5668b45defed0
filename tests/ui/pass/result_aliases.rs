//! Aliases of `Result`: by their name, and with `fallible`.

use rpc_core::{CallError, ErrorObject, Server, block_on, rpc};

type Outcome<T> = Result<T, ErrorObject>;
type CalcResult<T> = Result<T, ErrorObject>;
type Divided = Result<i64, ErrorObject>;

mod io {
    pub type Result<T> = std::result::Result<T, rpc_core::ErrorObject>;
}

#[rpc]
trait Calc {
    #[rpc(fallible)]
    fn a(&self, by: i64) -> Outcome<i64>;
    fn b(&self, by: i64) -> CalcResult<i64>;
    #[rpc(fallible)]
    async fn c(&self, by: i64) -> Divided;
    async fn d(&self, by: i64) -> io::Result<i64>;
    #[rpc(fallible)]
    fn e(&self, by: i64) -> Result<i64, ErrorObject>;
}

struct MyCalc;

fn divide(by: i64) -> Outcome<i64> {
    12_i64.checked_div(by).ok_or_else(|| ErrorObject::new(1, "division by zero"))
}

impl Calc for MyCalc {
    fn a(&self, by: i64) -> Outcome<i64> {
        divide(by)
    }
    fn b(&self, by: i64) -> CalcResult<i64> {
        divide(by)
    }
    async fn c(&self, by: i64) -> Divided {
        divide(by)
    }
    async fn d(&self, by: i64) -> io::Result<i64> {
        divide(by)
    }
    fn e(&self, by: i64) -> Result<i64, ErrorObject> {
        divide(by)
    }
}

fn main() {
    let server = Server::new(CalcService::new(MyCalc));
    for method in ["a", "b", "c", "d", "e"] {
        let call = |by: u8| {
            let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":[{by}],"id":1}}"#);
            server.handle_blocking(&*request).unwrap()
        };
        assert_eq!(call(4), r#"{"jsonrpc":"2.0","result":3,"id":1}"#);
        assert_eq!(call(0), r#"{"jsonrpc":"2.0","error":{"code":1,"message":"division by zero"},"id":1}"#);
    }

    let client = CalcClient::new(server.caller());
    block_on(async {
        let (a, b, c): (i64, i64, i64) =
            (client.a(1).await.unwrap(), client.b(2).await.unwrap(), client.c(3).await.unwrap());
        assert_eq!((a, b, c), (12, 6, 4));
        assert!(matches!(client.d(0).await, Err(CallError::Method(error)) if error.code == 1));
        assert_eq!(client.e(6).await.unwrap(), 2);
    });
}
