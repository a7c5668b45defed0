//! Parameters with the names of local variables that generated code could use.

#![deny(warnings)]

use rpc_core::{Server, block_on, rpc};

#[rpc]
trait Names {
    async fn one(
        &self,
        params: u8,
        id: u8,
        result: u8,
        method: u8,
        client: u8,
        args: u8,
        request: u8,
        e: u8,
        s: u8,
        this: u8,
        context: u8,
        reply: u8,
    ) -> u32;
    fn two(
        &self,
        service: u8,
        call: u8,
        value: u8,
        caller: u8,
        arguments: u8,
        name: u8,
        types: u8,
        outgoing: u8,
        head: u8,
        names: u8,
        by_name: u8,
        written: u8,
    ) -> u32;
    async fn three(&self, self_: &str, de: &str, f: &str, a: &str, out: &str, output: &str, body: &str) -> u32 {
        [self_, de, f, a, out, output, body].iter().map(|text| u32::try_from(text.len()).unwrap()).sum()
    }
    fn four(&self, #[rpc(flatten)] params: Vec<u8>) -> u32;
    #[rustfmt::skip]
    async fn five(
        &self, seq: Option<&str>, ext: &[u8], track: u8, map: u8, index: u8, message: u8, responder: u8, response: u8,
    ) -> u32;
}

struct Me;

impl Names for Me {
    async fn one(
        &self,
        params: u8,
        id: u8,
        result: u8,
        method: u8,
        client: u8,
        args: u8,
        request: u8,
        e: u8,
        s: u8,
        this: u8,
        context: u8,
        reply: u8,
    ) -> u32 {
        [params, id, result, method, client, args, request, e, s, this, context, reply].map(u32::from).iter().sum()
    }
    fn two(
        &self,
        service: u8,
        call: u8,
        value: u8,
        caller: u8,
        arguments: u8,
        name: u8,
        types: u8,
        outgoing: u8,
        head: u8,
        names: u8,
        by_name: u8,
        written: u8,
    ) -> u32 {
        [service, call, value, caller, arguments, name, types, outgoing, head, names, by_name, written]
            .map(u32::from)
            .iter()
            .sum()
    }
    fn four(&self, params: Vec<u8>) -> u32 {
        params.into_iter().map(u32::from).sum()
    }
    #[rustfmt::skip]
    async fn five(
        &self, _seq: Option<&str>, _ext: &[u8], track: u8, map: u8, index: u8, message: u8, responder: u8, response: u8,
    ) -> u32 {
        [track, map, index, message, responder, response].map(u32::from).iter().sum()
    }
}

fn main() {
    let server = Server::new(NamesService::new(Me));
    let check = |method: &str, params: &str, result: u8| {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response));
    };
    check("one", "[1,2,3,4,5,6,7,8,9,10,11,12]", 78);
    check(
        "one",
        r#"{"reply":12,"params":1,"id":2,"result":3,"method":4,"client":5,"args":6,"request":7,"e":8,"s":9,"this":10,"context":11}"#,
        78,
    );
    check("two", "[1,2,3,4,5,6,7,8,9,10,11,12]", 78);
    check("three", r#"["a","b","c","d","e","f","g"]"#, 7);
    check("four", "[1,2]", 3);
    check("five", "[null,[],1,2,3,4,5,6]", 21);

    let client = NamesClient::new(server.caller());
    block_on(async {
        assert_eq!(client.one(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12).await.unwrap(), 78);
        assert_eq!(client.two(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12).await.unwrap(), 78);
        assert_eq!(client.three("a", "b", "c", "d", "e", "f", "g").await.unwrap(), 7);
        assert_eq!(client.four(vec![1]).await.unwrap(), 1);
        assert_eq!(client.five(None, &[], 1, 2, 3, 4, 5, 6).await.unwrap(), 21);
    });
}
