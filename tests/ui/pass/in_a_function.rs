//! A trait inside a function, with types of that function.

use rpc_core::{Server, block_on};

fn main() {
    use rpc_core::rpc;

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Local(u8);

    #[rpc]
    trait Inside {
        async fn echo(&self, local: Local, list: &[Local]) -> Local;
    }

    struct Me;
    impl Inside for Me {
        async fn echo(&self, local: Local, _list: &[Local]) -> Local {
            local
        }
    }

    let server = Server::new(InsideService::new(Me));
    let response = server.handle_blocking(r#"{"jsonrpc":"2.0","method":"echo","params":[1,[2]],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":1,"id":1}"#);
    assert_eq!(block_on(InsideClient::new(server.caller()).echo(Local(3), &[])).unwrap().0, 3);
}
