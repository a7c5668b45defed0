//! `cfg` on parameters: a parameter that is compiled out is not on the wire, in either direction.

#![deny(warnings)]

use rpc_core::{ClientError, Server, block_on, rpc};
use rpc_core::server::Service;

#[rpc]
trait Calc {
    fn first(&self, #[cfg(any())] gone: Nowhere, a: i64, #[cfg(all())] b: i64) -> i64;
    #[rpc(params = "by_position")]
    async fn last(&self, a: i64, #[cfg_attr(all(), cfg(any()))] gone: &Nowhere, #[cfg(not(any()))] b: &str) -> String;
    #[cfg(all())]
    fn either(&self, #[cfg(any())] n: u8, #[cfg(not(any()))] n: &str) -> usize;
    #[cfg(any())]
    fn nothing(&self, #[cfg(all())] n: Nowhere);
    fn whole(&self, #[cfg(all())] #[rpc(flatten)] list: Vec<i64>) -> i64;
}

struct Me;

impl Calc for Me {
    fn first(&self, a: i64, b: i64) -> i64 {
        a - b
    }
    async fn last(&self, a: i64, b: &str) -> String {
        format!("{a}{b}")
    }
    fn either(&self, n: &str) -> usize {
        n.len()
    }
    fn whole(&self, list: Vec<i64>) -> i64 {
        list.iter().sum()
    }
}

fn main() -> Result<(), ClientError> {
    let service = CalcService::new(Me);
    let mut methods = vec![];
    service.for_each_method(&mut |method| methods.push((method.name().to_owned(), method.params().to_vec())));
    let known = [("first", vec!["a", "b"]), ("last", vec!["a", "b"]), ("either", vec!["n"]), ("whole", vec![])];
    assert_eq!(methods, known.map(|(name, params)| (name.to_owned(), params)));

    let server = Server::new(service);
    let check = |method: &str, params: &str, response: &str| {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request).unwrap(), format!(r#"{{"jsonrpc":"2.0",{response},"id":1}}"#));
    };
    check("first", "[3,1]", r#""result":2"#);
    check("first", r#"{"b":1,"a":3}"#, r#""result":2"#);
    check("last", r#"[1,"x"]"#, r#""result":"1x""#);
    check("last", r#"{"a":1,"b":"x"}"#, r#""result":"1x""#);
    check("either", r#"{"n":"four"}"#, r#""result":4"#);
    check("whole", "[1,2]", r#""result":3"#);
    for (method, params) in [("first", "[1,2,3]"), ("first", r#"{"gone":1,"a":1,"b":1}"#), ("first", r#"{"":1,"a":1,"b":1}"#)] {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        assert!(server.handle_blocking(&*request).unwrap().contains("-32602"));
    }

    let client = CalcClient::new(server.caller());
    block_on(async {
        assert_eq!(client.first(3, 1).await?, 2);
        assert_eq!(client.last(1, "x").await?, "1x");
        assert_eq!(client.either("four").await?, 4);
        assert_eq!(client.whole(vec![1, 2]).await?, 3);
        Ok(())
    })
}
