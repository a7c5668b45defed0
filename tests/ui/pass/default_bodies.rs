//! Default bodies, sync and async: with `?`, `return`, `.await` and divergence.

#![deny(warnings)]

use rpc_core::{ErrorObject, Server, rpc};

#[rpc]
trait Calc {
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    async fn add_later(&self, a: i64, b: i64) -> i64 {
        let a = std::future::ready(a).await;
        if b == 0 {
            return a;
        }
        self.add(a, b)
    }
    async fn halve(&self, n: i64) -> Result<i64, ErrorObject> {
        let even = self.even(n).await?;
        Ok(even / 2)
    }
    async fn even(&self, n: i64) -> Result<i64, ErrorObject> {
        if n % 2 != 0 {
            Err(ErrorObject::new(1, "odd"))?;
        }
        Ok(n)
    }
    async fn collect(&self, text: &str) -> Vec<char> {
        text.chars().collect()
    }
    async fn empty(&self) {}
    #[rpc(notification)]
    async fn notified(&self, name: &str) {
        let _ = name;
    }
    async fn converted(&self) -> String {
        "text".into()
    }
    async fn unfinished(&self) -> u8 {
        unimplemented!()
    }
    async fn boxed(&self, list: &[u8]) -> Box<[u8]> {
        list.into()
    }
    async fn own(&self) -> u8;
}

struct MyCalc;

impl Calc for MyCalc {
    async fn own(&self) -> u8 {
        1
    }
    async fn even(&self, n: i64) -> Result<i64, ErrorObject> {
        Ok(n + n % 2)
    }
}

fn main() {
    let server = Server::new(CalcService::new(MyCalc));
    let check = |method: &str, params: &str, result: &str| {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response));
    };
    check("add", "[1,2]", "3");
    check("add_later", "[1,2]", "3");
    check("add_later", "[1,0]", "1");
    check("halve", "[5]", "3");
    check("collect", r#"["ab"]"#, r#"["a","b"]"#);
    check("empty", "[]", "null");
    check("notified", r#"["x"]"#, "null");
    check("converted", "[]", r#""text""#);
    check("boxed", "[[1,2]]", "[1,2]");
    check("own", "[]", "1");
}
