//! A trait inside a default body has its own attribute.

use rpc_core::{Server, block_on, rpc};

#[rpc]
trait Outer {
    fn add(&self, a: i64) -> i64 {
        #[rpc(namespace = "inner")]
        trait Inner {
            #[rpc(name = "uno")]
            fn one(&self) -> i64;
        }
        struct One;
        impl Inner for One {
            fn one(&self) -> i64 {
                1
            }
        }
        let server = Server::new(InnerService::new(One));
        let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"inner.uno","id":1}"#);
        assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":1,"id":1}"#);
        a + block_on(InnerClient::new(server.caller()).one()).unwrap()
    }
}

struct Me;
impl Outer for Me {}

fn main() {
    let server = Server::new(OuterService::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"add","params":[41],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":42,"id":1}"#);
}
