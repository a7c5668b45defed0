//! Methods with the names of functions of rpc-core, of the client's traits and of std.

use rpc_core::{Server, block_on, rpc};

#[rpc]
trait Names {
    fn call(&self, n: u8) -> u8;
    fn request(&self, n: u8) -> u8;
    fn notify(&self, n: u8) -> u8;
    fn clone(&self, n: u8) -> u8;
    fn into_rpc(&self, n: u8) -> u8;
    async fn find(&self, n: u8) -> u8;
    async fn decode(&self, n: u8) -> u8;
    async fn run(&self, n: u8) -> u8;
    async fn info(&self, n: u8) -> u8;
    async fn each(&self, n: u8) -> u8;
    fn fmt(&self, n: u8) -> u8;
    fn from(&self, n: u8) -> u8;
    fn as_ref(&self, n: u8) -> u8;
    fn deref(&self, n: u8) -> u8;
    fn drop(&self, n: u8) -> u8;
    fn service(&self, n: u8) -> u8;
    fn types(&self, n: u8) -> u8;
    fn written(&self, n: u8) -> u8;
    fn error(&self, n: u8) -> u8;
    fn value(&self, n: u8) -> u8;
    fn result(&self, n: u8) -> u8;
    fn main(&self, n: u8) -> u8;
    fn i64(&self, n: u8) -> u8;
    fn async_(&self, n: u8) -> u8;
}

struct Me;

macro_rules! echo {
    ($($(#[$later:ident])? $name:ident)*) => {$(
        fn $name(&self, n: u8) -> u8 { n }
    )*};
}
macro_rules! echo_later {
    ($($name:ident)*) => {$(
        async fn $name(&self, n: u8) -> u8 { n }
    )*};
}

impl Names for Me {
    echo! { call request notify clone into_rpc fmt from as_ref deref drop service types written error value result main i64 async_ }
    echo_later! { find decode run info each }
}

fn main() {
    let server = Server::new(NamesService::new(Me));
    let client = NamesClient::new(server.caller());
    macro_rules! check {
        ($($name:ident)*) => {$(
            let request =
                concat!(r#"{"jsonrpc":"2.0","method":""#, stringify!($name), r#"","params":[3],"id":1}"#);
            assert_eq!(server.handle_blocking(request).unwrap(), r#"{"jsonrpc":"2.0","result":3,"id":1}"#);
            assert_eq!(block_on(client.$name(3)).unwrap(), 3);
        )*};
    }
    check!(call request notify clone into_rpc find decode run info each fmt from as_ref deref drop service types
        written error value result main i64 async_);
}
