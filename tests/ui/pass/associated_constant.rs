//! Associated constants are kept, with and without a value.

use rpc_core::{Server, rpc};

#[rpc]
trait Limited {
    /// The limit.
    const LIMIT: u8;
    const NAME: &'static str = "limited";
    fn limit(&self) -> u8 {
        Self::LIMIT
    }
    async fn name(&self) -> String {
        Self::NAME.to_owned()
    }
    fn list(&self, numbers: [u8; 2]) -> [u8; 2];
}

struct Me;

impl Limited for Me {
    const LIMIT: u8 = 7;
    fn list(&self, numbers: [u8; 2]) -> [u8; 2] {
        numbers
    }
}

fn main() {
    let server = Server::new(LimitedService::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"limit","id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":7,"id":1}"#);
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"name","id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":"limited","id":1}"#);
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"list","params":[[1,2]],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":[1,2],"id":1}"#);
}
