//! An `Option` may be absent or null, also behind an alias.

use rpc_core::{Server, rpc};

type Maybe = Option<u8>;

#[rpc]
trait Options {
    fn all(&self, a: u8, b: Option<u8>, c: Maybe, d: std::option::Option<Option<u8>>) -> u8;
}

struct Me;

impl Options for Me {
    fn all(&self, a: u8, b: Option<u8>, c: Maybe, d: Option<Option<u8>>) -> u8 {
        a + b.unwrap_or(0) + c.unwrap_or(0) + d.flatten().unwrap_or(0)
    }
}

fn main() {
    let server = Server::new(OptionsService::new(Me));
    let check = |params: &str, result: u8| {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"all","params":{params},"id":1}}"#);
        let response = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
        assert_eq!(server.handle_blocking(&*request), Some(response));
    };
    check("[1,2,3,4]", 10);
    check("[1]", 1);
    check("[1,null,3]", 4);
    check(r#"{"a":1,"d":4}"#, 5);
    check(r#"{"a":1,"c":null}"#, 1);
}
